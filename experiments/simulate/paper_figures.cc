#include "experiments/simulate/paper_figures.h"

#include <cmath>
#include <iterator>
#include <limits>

#include "experiments/simulate/simulated_world.h"

namespace ladder::trainer {
namespace {

constexpr PaperFigure kNone = {std::numeric_limits<double>::quiet_NaN(), 0};

struct PaperRow {
  absl::string_view method;
  PaperFigure figures[std::size(kSimTargets)][kSimMetrics.size()];
};

constexpr PaperRow kPaperRows[] = {
    // Table S1.
    {"ERM",
     {{{55.55, 5.51}, {.555, .042}, {5.08, .69}},
      {{42.34, 5.40}, {.664, .040}, {13.44, 1.81}}}},
    {"IRM",
     {{{45.86, 3.53}, {.626, .021}, {5.34, .71}},
      {{38.81, 2.38}, {.667, .010}, {13.54, 1.83}}}},
    {"EQRM",
     {{{53.52, 6.10}, {.574, .043}, {5.19, .73}},
      {{41.46, 5.38}, {.658, .036}, {13.48, 1.83}}}},
    {"DSNR",
     {{{55.24, 5.50}, {.557, .042}, {5.07, .70}},
      {{42.08, 5.59}, {.667, .043}, {13.43, 1.81}}}},
    {"RDM",
     {{{55.17, 4.80}, {.560, .037}, {5.12, .71}},
      {{42.03, 3.77}, {.660, .023}, {13.45, 1.81}}}},
    {"PooledJoint",
     {{{55.55, 5.51}, {.555, .042}, {5.09, .69}},
      {{42.35, 5.40}, {.664, .040}, {13.44, 1.80}}}},
    {"LADDER",
     {{{72.25, 12.89}, {.390, .151}, {4.27, .83}},
      {{85.76, 3.54}, {.239, .034}, {11.70, 1.73}}}},
    {"Oracle",
     {{{81.57, 2.86}, {.259, .037}, {0, 0}},
      {{92.02, 1.68}, {.115, .023}, {0, 0}}}},
    // Table S2.
    {"Pooled-Interaction",
     {{{61.74, 19.60}, {.534, .288}, {4.461, 1.281}},
      {{85.01, 10.43}, {.214, .138}, {9.836, 2.222}}}},
    {"Pooled-MLP",
     {{{58.21, 18.52}, {.646, .331}, kNone},
      {{78.57, 11.01}, {.322, .179}, kNone}}},
    {"StyleHyperNet",
     {{{64.46, 19.60}, {.505, .300}, {4.340, 1.346}},
      {{84.05, 11.60}, {.230, .175}, {9.128, 2.084}}}},
};

}  // namespace

std::optional<PaperFigure> FindPaperFigure(absl::string_view method,
                                           size_t target, SimMetric metric) {
  for (const PaperRow& row : kPaperRows) {
    if (row.method != method) continue;
    const PaperFigure& figure = row.figures[target][metric];
    if (std::isnan(figure.mean)) return {};
    return figure;
  }
  return {};
}

}  // namespace ladder::trainer
