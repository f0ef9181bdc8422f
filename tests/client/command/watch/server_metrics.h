#ifndef LADDER_TESTS_CLIENT_COMMAND_WATCH_SERVER_METRICS_H_
#define LADDER_TESTS_CLIENT_COMMAND_WATCH_SERVER_METRICS_H_

#include <string>

#include "absl/strings/str_cat.h"

namespace ladder::client {

inline constexpr int kServerStart = 1'000'000;  // Since 1970.

// The metrics of a server that has answered `calls` calls, all within the
// bucket from 10 to 20 ms, and refused half as many at once.
inline std::string ServerMetrics(int calls, int start = kServerStart) {
  const std::string quick = absl::StrCat(calls / 2);
  const std::string all = absl::StrCat(calls + calls / 2);
  const auto histogram = [&](const std::string& name,
                             const std::string& labels) {
    const std::string more = labels.empty() ? "" : labels + ",";
    return absl::StrCat(name, "_bucket{", more, "le=\"0.01\"} ", quick,
                        "\n",                                                //
                        name, "_bucket{", more, "le=\"0.02\"} ", all, "\n",  //
                        name, "_bucket{", more, "le=\"+Inf\"} ", all, "\n",  //
                        name, "_count{", labels, "} ", all, "\n",            //
                        name, "_sum{", labels, "} ", all, "\n");
  };
  return absl::StrCat(
      "# TYPE ladder_requests_total counter\n"
      "ladder_requests_total{rpc=\"PredictDomain\",code=\"OK\"} ",
      calls,
      "\nladder_requests_total{rpc=\"PredictDomain\","
      "code=\"RESOURCE_EXHAUSTED\"} ",
      calls / 2,
      "\nladder_in_flight_requests{rpc=\"PredictDomain\"} 3\n"
      "ladder_in_flight_requests{rpc=\"GetModel\"} 0\n",
      histogram("ladder_request_duration_seconds", "rpc=\"PredictDomain\""),
      histogram("ladder_stage_duration_seconds", "stage=\"encode\""),
      histogram("ladder_queue_wait_seconds", ""),
      "ladder_request_duration_seconds_count{rpc=\"GetModel\"} 0\n"
      "ladder_groups_total{model=\"birds\",code=\"OK\"} ",
      calls, "\nladder_samples_total{model=\"birds\"} ", calls * 100,
      "\nladder_batch_size_samples_count{model=\"birds\"} ", calls,
      "\nladder_batch_size_samples_sum{model=\"birds\"} ", calls * 24,
      "\nladder_coverage_verdicts_total{model=\"birds\",verdict=\"IN\"} ",
      calls,
      "\nladder_coverage_verdicts_total{model=\"birds\",verdict=\"OUT\"} 2\n"
      "ladder_model_info{model=\"birds\",version=\"3\",sha256=\"a\"} 1\n"
      "ladder_model_info{model=\"birds\",version=\"4\",sha256=\"b\"} 1\n"
      "ladder_group_weight{model=\"birds\",group=\"new\",source=\"a\"} 0.25\n"
      "ladder_group_weight{model=\"birds\",group=\"new\",source=\"b\"} 0.75\n"
      "ladder_group_weight{model=\"birds\",group=\"old\",source=\"a\"} 1\n"
      "ladder_build_info{version=\"0.1.0\",compiler=\"12\"} 1\n"
      "ladder_queue_depth_samples 7\n"
      "ladder_process_resident_memory_bytes 104857600\n"
      "ladder_process_start_time_seconds ",
      start, "\n");
}

}  // namespace ladder::client

#endif  // LADDER_TESTS_CLIENT_COMMAND_WATCH_SERVER_METRICS_H_
