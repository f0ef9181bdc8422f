#ifndef LADDER_CLIENT_COMMAND_JSON_TEXT_H_
#define LADDER_CLIENT_COMMAND_JSON_TEXT_H_

#include <google/protobuf/message.h>

#include <string>

namespace ladder::command {

// A message as one line of protobuf's JSON, without the line's end: fields are
// named as in the .proto, and those that are zero or empty are there too.
std::string JsonText(const google::protobuf::Message& message);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_JSON_TEXT_H_
