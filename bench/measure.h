#ifndef LADDER_BENCH_MEASURE_H_
#define LADDER_BENCH_MEASURE_H_

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace ladder::bench {

// Ends the program unless `status` is OK: a benchmark that fails has nothing to
// measure.
inline void OkOrDie(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << status << '\n';
  std::exit(EXIT_FAILURE);
}

// The value of `result`, or the end of the program.
template <typename T>
T ValueOrDie(absl::StatusOr<T> result) {
  OkOrDie(result.status());
  return *std::move(result);
}

// Normally distributed values around `mean`.
inline std::vector<float> NormalValues(size_t count, float mean,
                                       uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal(mean);
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

// The p-quantile, 0 <= p <= 1, of at least one value.
inline double Quantile(std::vector<double> values, double p) {
  const auto index = static_cast<size_t>(
      std::ceil(p * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[index];
}

inline double Median(std::vector<double> values) {
  return Quantile(std::move(values), 0.5);
}

// Seconds that `body` takes.
template <typename Body>
double Time(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// Seconds of processor time, of all threads of the program, that `body` takes:
// for work on one thread this hardly depends on what else the machine does.
template <typename Body>
double ProcessorTime(Body body) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  body();
  return now() - start;
}

// Seconds that two sides took, round by round.
struct PairedSeconds {
  // The quotients first / second of the rounds.
  std::vector<double> Ratios() const {
    std::vector<double> ratios;
    for (size_t i = 0; i < first.size(); ++i) {
      ratios.push_back(first[i] / second[i]);
    }
    return ratios;
  }

  std::vector<double> first;
  std::vector<double> second;
};

// Times both bodies once, each after `prepare`, and adds that to `seconds`. Who
// begins alternates from round to round, so that a noisy machine disturbs both
// alike.
template <typename Prepare, typename First, typename Second>
void TimeRound(int round, Prepare prepare, First first, Second second,
               PairedSeconds& seconds) {
  for (int turn = 0; turn < 2; ++turn) {
    prepare();
    if ((round + turn) % 2 == 0) {
      seconds.first.push_back(Time(first));
    } else {
      seconds.second.push_back(Time(second));
    }
  }
}

// Some rounds, each body after a pause.
template <typename First, typename Second>
PairedSeconds TimeInTurns(int rounds, absl::Duration pause, First first,
                          Second second) {
  PairedSeconds seconds;
  for (int round = 0; round < rounds; ++round) {
    TimeRound(
        round, [&] { absl::SleepFor(pause); }, first, second, seconds);
  }
  return seconds;
}

}  // namespace ladder::bench

#endif  // LADDER_BENCH_MEASURE_H_
