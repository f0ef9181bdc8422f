#ifndef LADDER_EXPERIMENTS_DIAGNOSE_CONTENT_SUMMARY_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_CONTENT_SUMMARY_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "trainer/encode/encoded_samples.h"

namespace ladder::trainer {

// What a source's z_c and labels look like on the whole.
struct ContentSummary {
  std::vector<double> mean = {};
  std::vector<double> deviation = {};     // Standard, of each coordinate.
  std::vector<double> prototypes = {};    // Mean of each class, class x d_c.
  std::vector<double> label_shares = {};  // Of each class; sum to one.
};

// Of the samples at `rows`, whose labels are below `num_classes`. All zeros if
// there are no rows.
ContentSummary SummarizeContent(const EncodedSamples& samples,
                                std::span<const size_t> rows,
                                size_t num_classes);

double EuclideanDistance(std::span<const double> a, std::span<const double> b);

// Mean distance of the prototypes of the classes that both have; none without
// such a class.
std::optional<double> PrototypeDistance(const ContentSummary& a,
                                        const ContentSummary& b);

// Total variation of the label shares.
double LabelDistance(const ContentSummary& a, const ContentSummary& b);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_CONTENT_SUMMARY_H_
