#include "model_store/format/json_reader.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {
namespace {

using nlohmann::json;

constexpr size_t kMaxDepth = 64;

// What nlohmann's parser allows and we do not. Thrown to end its work at once;
// never leaves this file.
class BrokenRule : public std::runtime_error {
  using runtime_error::runtime_error;
};

// Watches the parser's events for repeated keys and deep nesting.
class StrictRules {
 public:
  bool operator()(int /*depth*/, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
        Open({.is_object = true});
        break;
      case json::parse_event_t::array_start:
        Open({.is_object = false});
        break;
      case json::parse_event_t::key:
        AddKey(parsed.get_ref<const std::string&>());
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        open_.pop_back();
        break;
      case json::parse_event_t::value:
        break;
    }
    return true;
  }

 private:
  struct Container {
    bool is_object = false;
    std::set<std::string> keys = {};
    std::string current_key = {};
  };

  void Open(Container container) {
    if (open_.size() == kMaxDepth) {
      throw BrokenRule(absl::StrCat(
          "expected at most ", kMaxDepth,
          " objects and arrays inside each other, found more at ", Path()));
    }
    open_.push_back(std::move(container));
  }

  void AddKey(const std::string& key) {
    Container& object = open_.back();
    object.current_key = key;
    if (!object.keys.insert(key).second) {
      throw BrokenRule(
          absl::StrCat("expected every key once, found another ", Path()));
    }
  }

  std::string Path() const {
    std::string path;
    for (const Container& container : open_) {
      if (!container.is_object) {
        absl::StrAppend(&path, "[]");
      } else {
        absl::StrAppend(&path, path.empty() ? "" : ".", container.current_key);
      }
    }
    return path;
  }

  std::vector<Container> open_;
};

// The library's message without its name and number for the error.
absl::string_view WithoutTag(absl::string_view message) {
  const size_t end = message.find("] ");
  return end == absl::string_view::npos ? message : message.substr(end + 2);
}

std::string Describe(const json& value) {
  constexpr size_t kLongestShown = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return absl::StrCat("an array of ", value.size());
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true,
                                json::error_handler_t::replace);
  if (text.size() > kLongestShown) {
    text.resize(kLongestShown);
    absl::StrAppend(&text, "...");
  }
  return text;
}

}  // namespace

absl::StatusOr<JsonDocument> JsonDocument::Parse(absl::string_view text,
                                                 absl::string_view file) {
  const auto error = [file](absl::string_view problem) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": ", problem));
  };
  try {
    json parsed = json::parse(text.begin(), text.end(), StrictRules());
    if (!parsed.is_object()) {
      return error(
          absl::StrCat("expected a JSON object, found ", Describe(parsed)));
    }
    return JsonDocument(std::move(parsed), std::string(file));
  } catch (const json::exception& exception) {
    return error(WithoutTag(exception.what()));
  } catch (const BrokenRule& rule) {
    return error(rule.what());
  }
}

JsonValue JsonDocument::root() { return JsonValue(*this, &json_, ""); }

void JsonDocument::Fail(absl::string_view path, absl::string_view expected,
                        absl::string_view found) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(absl::StrCat(
      file_, ": ", path, ": expected ", expected, ", found ", found));
}

void JsonValue::Fail(absl::string_view expected) const {
  if (!Failed()) Fail(expected, Describe(*json_));
}

void JsonValue::Fail(absl::string_view expected,
                     absl::string_view found) const {
  if (!Failed()) document_->Fail(path_, expected, found);
}

bool JsonValue::Expect(bool (json::*fits)() const noexcept,
                       absl::string_view expected) const {
  if (!Failed() && !(json_->*fits)()) Fail(expected);
  return !Failed();
}

std::string JsonValue::PathOf(absl::string_view key) const {
  return absl::StrCat(path_, path_.empty() ? "" : ".", key);
}

bool JsonValue::IsString() const { return !Failed() && json_->is_string(); }

bool JsonValue::Has(absl::string_view key) const {
  return !Failed() && json_->is_object() && json_->contains(std::string(key));
}

JsonValue JsonValue::operator[](absl::string_view key) const {
  const json* value = nullptr;
  if (Expect(&json::is_object, "an object")) {
    const auto member = json_->find(std::string(key));
    if (member != json_->end()) {
      value = &*member;
    } else {
      document_->Fail(PathOf(key), "a value", "none");
    }
  }
  return JsonValue(*document_, value, PathOf(key));
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::Members() const {
  std::vector<std::pair<std::string, JsonValue>> members;
  if (!Expect(&json::is_object, "an object")) return members;
  for (const auto& [key, value] : json_->items()) {
    members.emplace_back(key, JsonValue(*document_, &value, PathOf(key)));
  }
  return members;
}

std::vector<JsonValue> JsonValue::Elements() const {
  std::vector<JsonValue> elements;
  if (!Expect(&json::is_array, "an array")) return elements;
  elements.reserve(json_->size());
  for (const json& element : *json_) {
    elements.push_back(JsonValue(
        *document_, &element, absl::StrCat(path_, "[", elements.size(), "]")));
  }
  return elements;
}

std::vector<double> JsonValue::Numbers() const {
  std::vector<double> numbers;
  for (const JsonValue& element : Elements()) {
    numbers.push_back(element.Number());
  }
  return numbers;
}

std::vector<uint64_t> JsonValue::Integers() const {
  std::vector<uint64_t> integers;
  for (const JsonValue& element : Elements()) {
    integers.push_back(element.Integer());
  }
  return integers;
}

std::string JsonValue::String() const {
  return Expect(&json::is_string, "a string") ? json_->get<std::string>() : "";
}

double JsonValue::Number() const {
  return Expect(&json::is_number, "a number") ? json_->get<double>() : 0;
}

float JsonValue::Float() const {
  const double number = Number();
  if (std::abs(number) > std::numeric_limits<float>::max()) {
    Fail("a number in the range of a 32-bit float");
  }
  return Failed() ? 0 : static_cast<float>(number);
}

uint64_t JsonValue::Integer(uint64_t max) const {
  if (!Failed() &&
      !(json_->is_number_unsigned() && json_->get<uint64_t>() <= max)) {
    Fail(absl::StrCat("an integer from 0 to ", max));
  }
  return Failed() ? 0 : json_->get<uint64_t>();
}

std::string JsonValue::ObjectText() const {
  return Expect(&json::is_object, "an object") ? json_->dump() : "";
}

}  // namespace ladder::model_store
