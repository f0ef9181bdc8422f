#include "tests/base/charts/svg_elements.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

namespace ladder::base {
namespace {

constexpr absl::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";

// Cuts `text` in two behind the first `count` characters and returns the first.
absl::string_view Cut(absl::string_view& text, size_t count) {
  const absl::string_view front = text.substr(0, count);
  text.remove_prefix(front.size());
  return front;
}

// False if `text` has a <, > or & that is not escaped.
bool Unescape(absl::string_view text, std::string& result) {
  using Entities = std::vector<std::pair<std::string, std::string>>;
  Entities entities = {{"&lt;", "<"},
                       {"&gt;", ">"},
                       {"&quot;", "\""},
                       {"&#39;", "'"},
                       {"&amp;", "&"}};
  result = absl::StrReplaceAll(text, entities);
  for (auto& [escaped, character] : entities) character = "";
  return absl::StrReplaceAll(text, entities).find_first_of("<>&") ==
         std::string::npos;
}

// Reads ` name="value"` off the front of `tag`.
bool ReadAttribute(absl::string_view& tag, SvgElement& element) {
  tag.remove_prefix(std::min(tag.find_first_not_of(" \n"), tag.size()));
  const std::string name(Cut(tag, tag.find_first_not_of(kNameCharacters)));
  if (name.empty() || Cut(tag, 2) != "=\"") return false;
  std::string value;
  if (!Unescape(Cut(tag, tag.find('"')), value)) return false;
  return Cut(tag, 1) == "\"" && element.attributes.emplace(name, value).second;
}

// True if the whole of `svg` is one well-formed element.
bool Parse(absl::string_view svg, std::vector<SvgElement>& elements) {
  std::vector<size_t> open;
  while (!svg.empty()) {
    std::string text;
    if (!Unescape(Cut(svg, svg.find('<')), text)) return false;
    if (!open.empty()) elements[open.back()].text += text;
    if (svg.empty()) return open.empty() && text == "\n";
    absl::string_view tag = Cut(svg, svg.find('>'));
    if (Cut(svg, 1) != ">") return false;
    tag.remove_prefix(1);
    if (tag.front() == '/') {
      if (open.empty() || elements[open.back()].name != tag.substr(1)) {
        return false;
      }
      open.pop_back();
      continue;
    }
    if (open.empty() && !elements.empty()) return false;  // A second root.
    const bool is_closed = tag.back() == '/';
    if (is_closed) tag.remove_suffix(1);
    SvgElement element;
    element.name =
        std::string(Cut(tag, tag.find_first_not_of(kNameCharacters)));
    while (!tag.empty()) {
      if (!ReadAttribute(tag, element)) return false;
    }
    if (!is_closed) open.push_back(elements.size());
    elements.push_back(element);
  }
  return open.empty() && !elements.empty();
}

}  // namespace

double SvgElement::Number(const std::string& attribute) const {
  double number = 0;
  EXPECT_TRUE(absl::SimpleAtod(attributes.at(attribute), &number)) << attribute;
  return number;
}

bool SvgElement::Is(absl::string_view element,
                    absl::string_view css_class) const {
  if (name != element) return false;
  if (css_class.empty()) return true;
  const auto found = attributes.find("class");
  return found != attributes.end() && found->second == css_class;
}

std::vector<SvgElement> ParseSvg(absl::string_view svg) {
  std::vector<SvgElement> elements;
  if (Parse(svg, elements)) return elements;
  ADD_FAILURE() << "not well-formed: " << svg;
  return {};
}

std::vector<SvgElement> Select(const std::vector<SvgElement>& elements,
                               absl::string_view name,
                               absl::string_view css_class) {
  std::vector<SvgElement> selected;
  for (const SvgElement& element : elements) {
    if (element.Is(name, css_class)) selected.push_back(element);
  }
  return selected;
}

std::vector<std::string> Texts(const std::vector<SvgElement>& elements) {
  std::vector<std::string> texts;
  texts.reserve(elements.size());
  for (const SvgElement& element : elements) texts.push_back(element.text);
  return texts;
}

TickRuler::TickRuler(const std::vector<SvgElement>& elements)
    : x_(Through(Select(elements, "text", "x-tick"), "x")),
      y_(Through(Select(elements, "text", "y-tick"), "y")) {
  // Labels are written so that their middle is level with the tick.
  constexpr double kDigitsMiddle = 11.0 / 3;
  y_.offset -= kDigitsMiddle;
}

TickRuler::Line TickRuler::Through(const std::vector<SvgElement>& ticks,
                                   const char* axis) {
  if (ticks.size() < 2) {
    ADD_FAILURE() << axis << ": expected two ticks, got " << ticks.size();
    return {};
  }
  double first = 0;
  double last = 0;
  EXPECT_TRUE(absl::SimpleAtod(ticks.front().text, &first));
  EXPECT_TRUE(absl::SimpleAtod(ticks.back().text, &last));
  const double start = ticks.front().Number(axis);
  const double slope = (ticks.back().Number(axis) - start) / (last - first);
  return {start - slope * first, slope};
}

}  // namespace ladder::base
