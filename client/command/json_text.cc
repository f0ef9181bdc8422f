#include "client/command/json_text.h"

#include <google/protobuf/util/json_util.h>

#include <tuple>

namespace ladder::command {

std::string JsonText(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails for google.protobuf.Any of an unknown type only.
  std::ignore =
      google::protobuf::util::MessageToJsonString(message, &json, options);
  return json;
}

}  // namespace ladder::command
