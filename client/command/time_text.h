#ifndef LADDER_CLIENT_COMMAND_TIME_TEXT_H_
#define LADDER_CLIENT_COMMAND_TIME_TEXT_H_

#include <google/protobuf/timestamp.pb.h>

#include <string>

namespace ladder::command {

// "2026-03-01 12:30:05", where the user is; "-" if there is none.
std::string TimeText(const google::protobuf::Timestamp& time);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_TIME_TEXT_H_
