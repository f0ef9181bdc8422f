#include "server/inference/infer_parameters.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::server {
namespace {

using ::inference::InferParameter;
using ::testing::HasSubstr;
using ::testing::Optional;

InferParameter Text(const std::string& value) {
  InferParameter parameter;
  parameter.set_string_param(value);
  return parameter;
}

InferParameter Integer(int64_t value) {
  InferParameter parameter;
  parameter.set_int64_param(value);
  return parameter;
}

InferParameter Unsigned(uint64_t value) {
  InferParameter parameter;
  parameter.set_uint64_param(value);
  return parameter;
}

InferParameter Number(double value) {
  InferParameter parameter;
  parameter.set_double_param(value);
  return parameter;
}

InferParameter Flag(bool value) {
  InferParameter parameter;
  parameter.set_bool_param(value);
  return parameter;
}

RequestedRouting RoutingWith(const std::string& name,
                             const InferParameter& value) {
  InferParameterMap map;
  map[name] = value;
  const auto parsed = ParseInferParameters(map);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? parsed->routing : RequestedRouting();
}

std::string ErrorOf(const std::string& name, const InferParameter& value) {
  InferParameterMap map;
  map[name] = value;
  const auto parsed = ParseInferParameters(map);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << name;
  return std::string(parsed.status().message());
}

TEST(InferParametersTest, LeavesToTheModelWhatIsNotSet) {
  const auto parsed = ParseInferParameters({});

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_FALSE(parsed->group.has_value());
  EXPECT_FALSE(parsed->routing.method.has_value());
  EXPECT_FALSE(parsed->routing.k.has_value());
  EXPECT_FALSE(parsed->routing.tau.has_value());
  EXPECT_FALSE(parsed->routing.min_samples.has_value());
  EXPECT_FALSE(parsed->routing.fallback.has_value());
}

TEST(InferParametersTest, ReadsAllAtOnce) {
  InferParameterMap map;
  map["group"] = Text("camera 7");
  map["method"] = Text("sample_gate_group");
  map["k"] = Integer(3);
  map["tau"] = Number(0.25);
  map["min_samples"] = Integer(16);
  map["fallback"] = Text("uniform");

  const auto parsed = ParseInferParameters(map);

  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->group, Optional(absl::string_view("camera 7")));
  EXPECT_THAT(parsed->routing.method,
              Optional(routing::Method::kSampleGateGroup));
  EXPECT_THAT(parsed->routing.k, Optional(3u));
  EXPECT_THAT(parsed->routing.tau, Optional(0.25));
  EXPECT_THAT(parsed->routing.min_samples, Optional(16u));
  EXPECT_THAT(parsed->routing.fallback, Optional(std::string("uniform")));
}

TEST(InferParametersTest, TakesNumbersInEveryForm) {
  EXPECT_THAT(RoutingWith("k", Text("12")).k, Optional(12u));
  EXPECT_THAT(RoutingWith("k", Unsigned(12)).k, Optional(12u));
  EXPECT_THAT(RoutingWith("k", Text("all")).k, Optional(routing::kAllSources));
  EXPECT_THAT(RoutingWith("tau", Text("1e-2")).tau, Optional(1e-2));
  EXPECT_THAT(RoutingWith("tau", Integer(2)).tau, Optional(2.0));
  EXPECT_THAT(RoutingWith("tau", Unsigned(2)).tau, Optional(2.0));
  EXPECT_THAT(RoutingWith("min_samples", Text("0")).min_samples, Optional(0u));
}

TEST(InferParametersTest, NamesWhatWasExpectedAndWhatCame) {
  const std::string k = "parameter k: expected an integer of at least 1 or ";
  EXPECT_THAT(ErrorOf("k", Integer(0)), HasSubstr(k + "\"all\", got 0"));
  EXPECT_THAT(ErrorOf("k", Integer(INT64_MIN)), HasSubstr(k));
  EXPECT_THAT(ErrorOf("k", Unsigned(UINT64_MAX)), HasSubstr(k));
  EXPECT_THAT(ErrorOf("k", Number(3)), HasSubstr(k));
  EXPECT_THAT(ErrorOf("k", Flag(true)), HasSubstr("got true"));
  EXPECT_THAT(ErrorOf("k", Text("many")), HasSubstr("got \"many\""));
  EXPECT_THAT(ErrorOf("k", Text("99999999999999999999")), HasSubstr(k));
  EXPECT_THAT(ErrorOf("k", InferParameter()), HasSubstr("got nothing"));
  EXPECT_THAT(ErrorOf("tau", Text("warm")),
              HasSubstr("parameter tau: expected a number, got \"warm\""));
  EXPECT_THAT(ErrorOf("tau", Flag(false)), HasSubstr("got false"));
  EXPECT_THAT(ErrorOf("min_samples", Integer(-1)),
              HasSubstr("min_samples: expected an integer of at least 0, "
                        "got -1"));
  EXPECT_THAT(ErrorOf("group", Integer(7)),
              HasSubstr("parameter group: expected text, got 7"));
  EXPECT_THAT(ErrorOf("fallback", Integer(1)),
              HasSubstr("parameter fallback: expected the name"));
  EXPECT_THAT(ErrorOf("method", Integer(1)),
              HasSubstr("parameter method: expected the name"));
  EXPECT_THAT(ErrorOf("method", Text("magic")),
              HasSubstr("expected ladder, nearest, uniform, sample_gate or "
                        "sample_gate_group, got \"magic\""));
}

TEST(InferParametersTest, RejectsFixedWeightsWhichTheProtocolCannotCarry) {
  EXPECT_THAT(ErrorOf("method", Text("fixed")),
              HasSubstr("a method that finds weights itself, got \"fixed\""));
}

TEST(InferParametersTest, IgnoresWhatTritonReserves) {
  InferParameterMap map;
  map["sequence_id"] = Integer(5);
  map["sequence_start"] = Flag(true);
  map["sequence_end"] = Flag(true);
  map["priority"] = Unsigned(1);
  map["timeout"] = Integer(1000);
  map["headers"] = Text("");
  map["binary_data_output"] = Flag(true);
  map["triton_enable_empty_final_response"] = Flag(true);

  const auto parsed = ParseInferParameters(map);

  EXPECT_TRUE(parsed.ok()) << parsed.status();
}

TEST(InferParametersTest, RejectsUnknownParameters) {
  EXPECT_THAT(ErrorOf("temperature", Number(1)),
              HasSubstr("request: unknown parameter \"temperature\""));
}

TEST(InferParametersTest, KeepsMessagesShortAndPrintable) {
  const std::string error = ErrorOf("bad\n" + std::string(1 << 20, 'y'), {});

  EXPECT_THAT(error, HasSubstr("bad\\nyyy"));
  EXPECT_LT(error.size(), 200);
}

TEST(InferParametersTest, RejectsMoreParametersThanThereAreMeanings) {
  InferParameterMap map;
  for (int i = 0; i < 65; ++i) map[absl::StrCat("triton_", i)] = Flag(true);

  EXPECT_THAT(ParseInferParameters(map).status().message(),
              HasSubstr("request: expected at most 64 parameters, got 65"));
}

TEST(InferParametersTest, RejectsSharedMemory) {
  InferParameterMap map;
  map["shared_memory_region"] = Text("/secret");

  EXPECT_THAT(CheckInputParameters(map, "input x").message(),
              HasSubstr("input x: parameter \"shared_memory_region\": shared "
                        "memory is not served"));
  EXPECT_THAT(ParseClassification(map, "output label").status().message(),
              HasSubstr("shared memory is not served"));
}

}  // namespace
}  // namespace ladder::server
