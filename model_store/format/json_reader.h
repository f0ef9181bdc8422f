#ifndef LADDER_MODEL_STORE_FORMAT_JSON_READER_H_
#define LADDER_MODEL_STORE_FORMAT_JSON_READER_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {

class JsonValue;

// A JSON text read strictly: an object without duplicate keys, nested at most
// 64 deep, and nothing after it. Used inside this folder only.
//
// Readers ask its values for what they must be. The first answer that is not
// there or is something else becomes status(); from then on every answer is
// empty. So a reader asks for all it needs and looks at status() once.
class JsonDocument {
 public:
  // `file` begins every message. InvalidArgument, with line and column, if
  // `text` is not such an object.
  static absl::StatusOr<JsonDocument> Parse(absl::string_view text,
                                            absl::string_view file);

  // Valid while this document stays where it is.
  JsonValue root();
  // InvalidArgument: "<file>: <path>: expected ..., found ...".
  const absl::Status& status() const { return status_; }

 private:
  friend class JsonValue;

  JsonDocument(nlohmann::json json, std::string file)
      : json_(std::move(json)), file_(std::move(file)) {}
  void Fail(absl::string_view path, absl::string_view expected,
            absl::string_view found);

  nlohmann::json json_;
  std::string file_;
  absl::Status status_;
};

// A value and its path in a document, "sources[3].name".
class JsonValue {
 public:
  // For an object: whether `key` is there, the value of a key that must be
  // there, and all members by ascending key.
  bool Has(absl::string_view key) const;
  JsonValue operator[](absl::string_view key) const;
  std::vector<std::pair<std::string, JsonValue>> Members() const;

  // For an array: its elements, or the numbers that they must be.
  std::vector<JsonValue> Elements() const;
  std::vector<double> Numbers() const;
  std::vector<uint64_t> Integers() const;

  std::string String() const;
  double Number() const;  // Always finite.
  float Float() const;    // Rounded; a number beyond its range is an error.
  // An integer of at least 0 and at most `max`, written without fraction or
  // exponent.
  uint64_t Integer(uint64_t max = UINT64_MAX) const;
  // The JSON text of an object, without white space, keys ascending.
  std::string ObjectText() const;

  bool IsString() const;
  // Makes "expected <expected>, found <found>" the document's status; what was
  // found is this value unless something else says it better.
  void Fail(absl::string_view expected) const;
  void Fail(absl::string_view expected, absl::string_view found) const;

 private:
  friend class JsonDocument;

  // `json` is null after a failure.
  JsonValue(JsonDocument& document, const nlohmann::json* json,
            std::string path)
      : document_(&document), json_(json), path_(std::move(path)) {}
  bool Failed() const { return json_ == nullptr || !document_->status_.ok(); }
  // Fails unless `fits` says that this is the kind of value that `expected`
  // names. False if this or something before has failed.
  bool Expect(bool (nlohmann::json::*fits)() const noexcept,
              absl::string_view expected) const;
  std::string PathOf(absl::string_view key) const;

  JsonDocument* document_;
  const nlohmann::json* json_;
  std::string path_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_JSON_READER_H_
