#ifndef LADDER_TRAINER_COMMAND_CONFIG_FILE_H_
#define LADDER_TRAINER_COMMAND_CONFIG_FILE_H_

#include <filesystem>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace ladder::trainer {

// The options in a configuration file, TOML or, if its name ends in ".json",
// JSON, as one object. Sections (tables, objects) only group options for
// people: what is in them counts as if it were outside.
//
// NotFound if there is no such file; InvalidArgument, with line and column, if
// it cannot be parsed, and if an option is there twice.
absl::StatusOr<nlohmann::ordered_json> ReadConfigFile(
    const std::filesystem::path& path);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_CONFIG_FILE_H_
