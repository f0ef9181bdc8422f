#ifndef LADDER_TESTS_SERVER_RPC_TEST_POOL_H_
#define LADDER_TESTS_SERVER_RPC_TEST_POOL_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace ladder::server {

// Files that import each other: shop.proto needs goods.proto and money.proto,
// goods.proto needs money.proto. Nobody needs secret.proto.
class TestPool {
 public:
  TestPool() {
    Add(R"(
        name: "money.proto" package: "money"
        message_type {
          name: "Price"
          field { name: "cents" number: 1 type: TYPE_INT64 label: LABEL_OPTIONAL }
          extension_range { start: 100 end: 200 }
        }
        extension {
          name: "currency" number: 150 extendee: ".money.Price"
          type: TYPE_STRING label: LABEL_OPTIONAL
        })");
    Add(R"(
        name: "goods.proto" package: "goods" dependency: "money.proto"
        message_type {
          name: "Item"
          field {
            name: "price" number: 1 type_name: ".money.Price"
            label: LABEL_OPTIONAL
          }
          field {
            name: "text" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL
            oneof_index: 0
          }
          oneof_decl { name: "label" }
          enum_type {
            name: "Kind"
            value { name: "UNKNOWN" number: 0 }
            value { name: "FRUIT" number: 1 }
          }
          nested_type {
            name: "Size"
            field { name: "width" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
          }
          extension {
            name: "reduced" number: 120 extendee: ".money.Price"
            type: TYPE_BOOL label: LABEL_OPTIONAL
          }
        })");
    Add(R"(
        name: "shop.proto" package: "shop"
        dependency: "goods.proto" dependency: "money.proto"
        service {
          name: "Shop"
          method {
            name: "Buy" input_type: ".goods.Item" output_type: ".money.Price"
          }
        }
        service { name: "Stall" })");
    Add(R"(
        name: "secret.proto" package: "secret" dependency: "money.proto"
        message_type { name: "Diary" }
        service { name: "Safe" }
        extension {
          name: "cost" number: 199 extendee: ".money.Price"
          type: TYPE_INT32 label: LABEL_OPTIONAL
        })");
  }

  const google::protobuf::DescriptorPool& pool() const { return pool_; }

 private:
  void Add(const std::string& text) {
    google::protobuf::FileDescriptorProto file;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &file));
    EXPECT_NE(pool_.BuildFile(file), nullptr) << file.name();
  }

  google::protobuf::DescriptorPool pool_;
};

// The names of serialised files. Fails if one is there twice.
template <typename Files>
std::set<std::string> NamesOf(const Files& files) {
  std::set<std::string> names;
  for (const auto& serialized : files) {
    google::protobuf::FileDescriptorProto file;
    EXPECT_TRUE(file.ParseFromString(std::string(serialized)));
    EXPECT_TRUE(names.insert(file.name()).second) << file.name();
  }
  return names;
}

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_RPC_TEST_POOL_H_
