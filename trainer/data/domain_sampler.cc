#include "trainer/data/domain_sampler.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "routing/counter_rng.h"

namespace ladder::trainer {
namespace {

// Each round leaves about half of what order there was.
uint64_t NumRounds(uint64_t size) {
  return 32 + 4 * static_cast<uint64_t>(std::bit_width(size));
}

// One of many independent seeds that stem from `seed`.
uint64_t SubSeed(uint64_t seed, uint64_t index) {
  return routing::CounterRng(seed).Bits(index);
}

// Puts all sources into a random order whose first `num_apart` are none of
// `apart`. Draws with the counters from `counter` on, one per source.
std::vector<size_t> ShuffleSources(size_t num_sources,
                                   std::span<const size_t> apart,
                                   size_t num_apart,
                                   const routing::CounterRng& rng,
                                   uint64_t counter) {
  std::vector<size_t> order(num_sources);
  std::iota(order.begin(), order.end(), size_t{0});
  // Those to be avoided go to the end, out of reach of the first draws.
  std::stable_partition(order.begin(), order.end(), [apart](size_t source) {
    return std::find(apart.begin(), apart.end(), source) == apart.end();
  });
  for (size_t i = 0; i < num_sources; ++i) {
    const size_t reach =
        i < num_apart ? num_sources - apart.size() : num_sources;
    std::swap(order[i], order[i + rng.Below(reach - i, counter + i)]);
  }
  return order;
}

}  // namespace

RandomOrder::RandomOrder(uint64_t size, uint64_t seed)
    : size_(size),
      pivots_(NumRounds(size)),
      coins_(routing::CounterRng(seed).Bits(1)) {
  const routing::CounterRng rng(routing::CounterRng(seed).Bits(0));
  for (uint64_t round = 0; round < pivots_.size(); ++round) {
    pivots_[round] = rng.Below(size, round);
  }
}

uint64_t RandomOrder::At(uint64_t place) const {
  // The swap-or-not shuffle (Hoang, Morris and Rogaway 2012): a round pairs x
  // with pivot - x and swaps the pair or not, by a coin that both have in
  // common.
  for (uint64_t round = 0; round < pivots_.size(); ++round) {
    const uint64_t pivot = pivots_[round];
    const uint64_t partner =
        place <= pivot ? pivot - place : pivot + size_ - place;
    const uint64_t pair = std::max(place, partner);
    if (coins_.Bits(round * size_ + pair) >> 63 != 0) place = partner;
  }
  return place;
}

absl::StatusOr<DomainSampler> DomainSampler::Create(
    std::vector<std::vector<size_t>> samples,
    const DomainSamplerOptions& options) {
  if (options.domains_per_step < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "domains_per_step must be at least 1, got ", options.domains_per_step));
  }
  if (options.batch_size < 1 ||
      options.batch_size % options.domains_per_step != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "batch_size must be a positive multiple of domains_per_step, that is "
        "of ",
        options.domains_per_step, ", got ", options.batch_size));
  }
  if (samples.size() < static_cast<size_t>(options.domains_per_step)) {
    return absl::InvalidArgumentError(
        absl::StrCat("domains_per_step must be at most the number of sources, ",
                     samples.size(), ", got ", options.domains_per_step));
  }
  for (size_t source = 0; source < samples.size(); ++source) {
    if (!samples[source].empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("source ", source, ": expected samples, found none"));
  }
  return DomainSampler(std::move(samples), options);
}

DomainSampler::DomainSampler(std::vector<std::vector<size_t>> samples,
                             const DomainSamplerOptions& options)
    : samples_(std::make_shared<const std::vector<std::vector<size_t>>>(
          std::move(samples))),
      num_sources_(samples_->size()),
      domains_per_step_(static_cast<size_t>(options.domains_per_step)),
      share_(static_cast<uint64_t>(options.batch_size) / domains_per_step_),
      visits_seed_(SubSeed(options.seed, 0)),
      samples_seed_(SubSeed(options.seed, 1)) {}

std::vector<size_t> DomainSampler::Batch(uint64_t step) const {
  std::vector<size_t> batch;
  batch.reserve(domains_per_step_ * share_);
  for (const Visit& visit : Visits(step)) AddShare(visit, batch);
  return batch;
}

std::vector<DomainSampler::Visit> DomainSampler::Visits(uint64_t step) const {
  // A step may take the last sources of one round and the first of the next,
  // which must then be others; so a round depends on the one before. After
  // `cycle_steps` a round begins with a step, and the dependence ends.
  const size_t common = std::gcd(num_sources_, domains_per_step_);
  const uint64_t cycle_steps = num_sources_ / common;
  const uint64_t cycle_rounds = domains_per_step_ / common;
  const uint64_t cycle = step / cycle_steps;
  const size_t begin = step % cycle_steps * domains_per_step_;
  const routing::CounterRng rng(SubSeed(visits_seed_, cycle));

  std::vector<Visit> visits;
  std::vector<size_t> order;
  for (size_t round = 0; visits.size() < domains_per_step_; ++round) {
    const size_t start = round * num_sources_;
    const size_t taken = start % domains_per_step_;
    const size_t missing = taken == 0 ? 0 : domains_per_step_ - taken;
    const std::vector<size_t> before = std::exchange(order, {});
    order = ShuffleSources(num_sources_, std::span(before).last(taken), missing,
                           rng, start);
    for (size_t i = 0; i < num_sources_; ++i) {
      const size_t place = start + i;
      if (place < begin || place >= begin + domains_per_step_) continue;
      visits.push_back({order[i], cycle * cycle_rounds + round});
    }
  }
  return visits;
}

void DomainSampler::AddShare(const Visit& visit,
                             std::vector<size_t>& batch) const {
  const std::vector<size_t>& samples = (*samples_)[visit.source];
  const uint64_t seed = SubSeed(samples_seed_, visit.source);
  std::optional<RandomOrder> order;
  uint64_t pass = 0;
  for (uint64_t i = 0; i < share_; ++i) {
    const uint64_t draw = visit.round * share_ + i;
    if (!order.has_value() || draw / samples.size() != pass) {
      pass = draw / samples.size();
      order.emplace(samples.size(), SubSeed(seed, pass));
    }
    batch.push_back(samples[order->At(draw % samples.size())]);
  }
}

}  // namespace ladder::trainer
