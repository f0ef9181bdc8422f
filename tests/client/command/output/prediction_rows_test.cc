#include "client/command/output/prediction_rows.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/files/csv.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command/output/answers.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// Three samples with all outputs, of which the middle one was rejected.
v1::Predictions FullPredictions() {
  v1::Predictions predictions;
  for (const uint64_t index : {7, 9}) predictions.add_indices(index);
  for (const char* id : {"a,\"1\".jpg", "b\n.jpg"}) predictions.add_ids(id);
  for (const uint32_t label : {1, 0}) predictions.add_labels(label);
  *predictions.mutable_probabilities() =
      MatrixOf(2, {0.3f, 0.7f, 0.90000004f, 0.1f});
  *predictions.mutable_logits() = MatrixOf(2, {-1.5f, 2, 1e-8f, -3e20f});
  for (const uint32_t top : {1, 0, 0, 1}) predictions.add_top_classes(top);
  for (const float top : {0.7f, 0.3f, 0.90000004f, 0.1f}) {
    predictions.add_top_probabilities(top);
  }
  v1::RejectedSample& rejected = *predictions.add_rejected();
  rejected.set_index(8);
  rejected.set_id("broken.jpg");
  rejected.set_reason("corrupt");
  rejected.set_message("no JPEG, no PNG");
  return predictions;
}

OutputFileOptions AllOutputs(OutputFormat format) {
  OutputFileOptions options = SmallOptions("unused");
  options.format = format;
  options.classes = {"cat", "big, dog"};
  options.top_n = 2;
  options.probabilities = true;
  options.logits = true;
  return options;
}

TEST(PredictionRowsTest, CsvReadsBack) {
  const DataFolder folder;
  const PredictionRows rows(AllOutputs(OutputFormat::kCsv));
  std::string text = rows.Header();
  ASSERT_TRUE(rows.Append("north, \"1\"", FullPredictions(), text).ok());

  auto table = base::CsvTable::Open(folder.Write("out.csv", text));
  ASSERT_TRUE(table.ok()) << table.status();
  std::vector<std::vector<std::string>> found;
  for (auto more = table->Next(); more.ok() && *more; more = table->Next()) {
    std::vector<std::string> fields;
    for (size_t i = 0; i < table->columns().size(); ++i) {
      fields.emplace_back(table->field(i));
    }
    found.push_back(fields);
  }

  EXPECT_THAT(table->columns(),
              ElementsAre("group", "index", "id", "label", "class",
                          "probability", "error", "top_1", "top_1_probability",
                          "top_2", "top_2_probability", "p_cat", "p_big, dog",
                          "logit_cat", "logit_big, dog"));
  EXPECT_THAT(
      found,
      ElementsAre(ElementsAre("north, \"1\"", "7", "a,\"1\".jpg", "1",
                              "big, dog", "0.7", "", "big, dog", "0.7", "cat",
                              "0.3", "0.3", "0.7", "-1.5", "2"),
                  ElementsAre("north, \"1\"", "8", "broken.jpg", "", "", "",
                              "corrupt: no JPEG, no PNG", "", "", "", "", "",
                              "", "", ""),
                  ElementsAre("north, \"1\"", "9", "b\n.jpg", "0", "cat",
                              "0.90000004", "", "cat", "0.90000004", "big, dog",
                              "0.1", "0.90000004", "0.1", "1e-08", "-3e+20")));
}

TEST(PredictionRowsTest, JsonLinesReadBack) {
  const PredictionRows rows(AllOutputs(OutputFormat::kJsonLines));
  std::string text = rows.Header();
  ASSERT_TRUE(rows.Append("north\xFF", FullPredictions(), text).ok());

  const std::vector<std::string> lines = absl::StrSplit(text, '\n');

  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[3], "");
  const Json first = Json::parse(lines[0]);
  EXPECT_EQ(first["group"], "north\xEF\xBF\xBD");
  EXPECT_EQ(first["index"], 7);
  EXPECT_EQ(first["id"], "a,\"1\".jpg");
  EXPECT_EQ(first["label"], 1);
  EXPECT_EQ(first["class"], "big, dog");
  EXPECT_EQ(first["probability"].get<float>(), 0.7f);
  EXPECT_EQ(first["top"][1]["class"], "cat");
  EXPECT_EQ(first["top"][1]["label"], 0);
  EXPECT_EQ(first["top"][1]["probability"].get<float>(), 0.3f);
  EXPECT_THAT(first["probabilities"].get<std::vector<float>>(),
              ElementsAre(0.3f, 0.7f));
  EXPECT_THAT(first["logits"].get<std::vector<float>>(),
              ElementsAre(-1.5f, 2.0f));
  EXPECT_EQ(Json::parse(lines[1]),
            Json({{"group", "north\xEF\xBF\xBD"},
                  {"index", 8},
                  {"id", "broken.jpg"},
                  {"error", "corrupt: no JPEG, no PNG"}}));
  EXPECT_THAT(Json::parse(lines[2])["logits"].get<std::vector<float>>(),
              ElementsAre(1e-8f, -3e20f));
}

TEST(PredictionRowsTest, CountsFromTheFirstIndexWithoutIndicesAndIds) {
  v1::Predictions predictions;
  predictions.set_first_index(100);
  predictions.add_labels(0);
  predictions.add_labels(1);
  OutputFileOptions options = SmallOptions("unused");
  options.classes.clear();
  std::string csv;
  std::string json;

  ASSERT_TRUE(PredictionRows(options).Append("g", predictions, csv).ok());
  options.format = OutputFormat::kJsonLines;
  ASSERT_TRUE(PredictionRows(options).Append("g", predictions, json).ok());

  EXPECT_EQ(csv, "g,100,,0,,,\ng,101,,1,,,\n");
  EXPECT_THAT(json, HasSubstr("{\"group\":\"g\",\"index\":101,\"id\":\"\","
                              "\"label\":1}\n"));
}

TEST(PredictionRowsTest, WhatAServerSaysCannotSteerATerminal) {
  OutputFileOptions options = SmallOptions("unused");
  options.classes = {"cat\x1B]0;", "d\xC2\x9Bg"};
  options.top_n = 1;
  v1::Predictions predictions = SmallPredictions(0, 2);
  v1::RejectedSample& rejected = *predictions.add_rejected();
  rejected.set_index(2);
  rejected.set_reason("corrupt");
  rejected.set_message("\a\x7F");
  std::string csv;
  std::string json;

  ASSERT_TRUE(PredictionRows(options).Append("g", predictions, csv).ok());
  options.format = OutputFormat::kJsonLines;
  ASSERT_TRUE(PredictionRows(options).Append("g", predictions, json).ok());

  EXPECT_EQ(csv,
            "g,0,s0,0,cat\\x1B]0;,0.75,,cat\\x1B]0;,0.75\n"
            "g,1,s1,1,d\\x9Bg,0.75,,d\\x9Bg,0.75\n"
            "g,2,,,,,corrupt: \\x07\\x7F,,\n");
  for (const char* const escaped :
       {"cat\\u001b]0;", "d\\u009bg", "\\u0007\\u007f"}) {
    EXPECT_THAT(json, HasSubstr(escaped));
  }
}

TEST(PredictionRowsTest, LeavesRoomForClassesThatTheModelDoesNotHave) {
  OutputFileOptions options = SmallOptions("unused");
  options.top_n = 3;
  std::string csv;

  ASSERT_TRUE(
      PredictionRows(options).Append("g", SmallPredictions(0, 1), csv).ok());

  EXPECT_EQ(csv, "g,0,s0,0,cat,0.75,,cat,0.75,,,,\n");
}

TEST(PredictionRowsTest, RefusesWhatDoesNotFitToTheColumns) {
  OutputFileOptions options = SmallOptions("unused");
  v1::Predictions other_label = SmallPredictions(0, 2);
  other_label.set_labels(1, 2);
  v1::Predictions other_columns = SmallPredictions(0, 1);
  *other_columns.mutable_probabilities() = MatrixOf(3, {0.1f, 0.2f, 0.7f});
  std::string text = "before";

  EXPECT_EQ(PredictionRows(options).Append("g", other_label, text).code(),
            absl::StatusCode::kFailedPrecondition);
  const absl::Status columns =
      PredictionRows(options).Append("g", other_columns, text);
  EXPECT_EQ(columns.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(columns.message()),
              HasSubstr("expected 2 classes, the server sent 3"));
  options.probabilities = true;
  EXPECT_FALSE(
      PredictionRows(options).Append("g", SmallPredictions(0, 1), text).ok());
  EXPECT_EQ(text, "before");
}

TEST(PredictionRowsTest, RefusesPartsThatDoNotFitToEachOther) {
  const PredictionRows rows(SmallOptions("unused"));
  std::string text;
  v1::Predictions ids = SmallPredictions(0, 2);
  ids.mutable_ids()->RemoveLast();
  v1::Predictions indices = SmallPredictions(0, 2);
  indices.add_indices(0);
  v1::Predictions tops = SmallPredictions(0, 2);
  tops.add_top_classes(0);
  v1::Predictions probabilities = SmallPredictions(0, 2);
  probabilities.mutable_top_probabilities()->RemoveLast();
  v1::Predictions matrix = SmallPredictions(0, 2);
  *matrix.mutable_logits() = MatrixOf(2, {1, 2, 3});

  for (const auto& wrong : {ids, indices, tops, probabilities, matrix}) {
    EXPECT_EQ(rows.Append("g", wrong, text).code(),
              absl::StatusCode::kInternal);
  }
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace ladder::client
