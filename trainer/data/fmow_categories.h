#ifndef LADDER_TRAINER_DATA_FMOW_CATEGORIES_H_
#define LADDER_TRAINER_DATA_FMOW_CATEGORIES_H_

#include <span>

#include "absl/strings/string_view.h"

namespace ladder::trainer {

// The 62 land uses of FMoW (Christie et al. 2018), in the order in which WILDS
// numbers them, which is also that of the alphabet.
std::span<const absl::string_view> FmowCategories();

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_FMOW_CATEGORIES_H_
