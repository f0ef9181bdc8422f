#ifndef LADDER_MODEL_STORE_INSPECT_JSON_TEXT_H_
#define LADDER_MODEL_STORE_INSPECT_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace ladder::model_store {

// `json`, indented. Paths may hold any bytes; what is not UTF-8 is replaced.
inline std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(/*indent=*/2, /*indent_char=*/' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_JSON_TEXT_H_
