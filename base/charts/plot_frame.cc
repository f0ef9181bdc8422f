#include "base/charts/plot_frame.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ladder::base {
namespace {

struct PaletteColor {
  int red, green, blue;
};

// The palette lacks Okabe and Ito's yellow, which is hard to see on white, and
// has a dark grey for their black, which is the colour of the text.
constexpr PaletteColor kColors[] = {{0x00, 0x72, 0xb2}, {0xe6, 0x9f, 0x00},
                                    {0x00, 0x9e, 0x73}, {0xd5, 0x5e, 0x00},
                                    {0xcc, 0x79, 0xa7}, {0x56, 0xb4, 0xe9},
                                    {0x55, 0x55, 0x55}};
constexpr size_t kNumColors = std::size(kColors);

// The share of white that is mixed in, in each round through the colours.
constexpr double kTints[] = {0, 0.45, 0.7, 0.25};

std::string HexColor(const PaletteColor& color) {
  return absl::StrFormat("#%02x%02x%02x", color.red, color.green, color.blue);
}

std::vector<Point> Square(const Point& c, double r) {
  return {{c.x - r, c.y - r},
          {c.x + r, c.y - r},
          {c.x + r, c.y + r},
          {c.x - r, c.y + r}};
}

std::vector<Point> Triangle(const Point& c, double r) {
  return {{c.x, c.y - r}, {c.x + r, c.y + 0.8 * r}, {c.x - r, c.y + 0.8 * r}};
}

std::vector<Point> Diamond(const Point& c, double r) {
  return {{c.x, c.y - r}, {c.x + r, c.y}, {c.x, c.y + r}, {c.x - r, c.y}};
}

constexpr double kFontSize = 11;
constexpr double kLine = 17;       // A line's height where there is room,
constexpr double kMinLine = 14;    // and where there is not.
constexpr double kLegendGap = 16;  // The space between plot and legend.
constexpr double kIndent = 16;     // How far a name is right of its mark.
constexpr char kTextStyle[] =
    "class=\"legend\" font-size=\"11\" fill=\"#222222\"";

constexpr double kPadding = 0.05;  // A share of the extent, on each side.

// Range and step are rounded, so that a tick may miss the range's end by a
// hair.
constexpr double kHair = 1e-9;

struct Step {
  int factor = 1;  // 1, 2 or 5.
  int exponent = 0;

  // Divides by a power of ten rather than multiply by a rounded one.
  double Times(double count) const {
    const double power = std::pow(10, std::abs(exponent));
    return exponent < 0 ? count * factor / power : count * factor * power;
  }
  Step Next() const {
    if (factor == 1) return {2, exponent};
    if (factor == 2) return {5, exponent};
    return {1, exponent + 1};
  }
};

std::string Label(double value, const Step& step, double largest) {
  if (step.exponent < -4 || largest >= 1e6) {
    return absl::StrFormat("%.10g", value);
  }
  return absl::StrFormat("%.*f", std::max(0, -step.exponent), value);
}

constexpr double kWidth = 640;
constexpr double kHeight = 420;
constexpr double kTop = 44;   // Room for the title.
constexpr double kEdge = 16;  // Between what is drawn and the picture's end.
constexpr double kAxisText = 20;  // Height of an axis' name with its distance.
constexpr double kTickGap = 8;    // Between an axis and its ticks' labels.
constexpr double kTitleSize = 15;
constexpr double kLabelSize = 12;
constexpr double kTickSize = 11;
constexpr int kMaxTicks = 8;

// Names that do not fit side by side are slanted.
constexpr double kSlantDegrees = 40;
constexpr double kSlantHeight =
    0.643;                           // Per width of a name: the angle's sine.
constexpr double kSlantedLine = 15;  // Room that a slanted name needs.

constexpr char kInk[] = "#222222";
constexpr char kGrid[] = "stroke=\"#e4e4e4\" stroke-width=\"1\"";
constexpr char kAxisLine[] = "stroke=\"#888888\" stroke-width=\"1\"";

std::string TextStyle(double size, absl::string_view anchor) {
  return absl::StrFormat("font-size=\"%g\" fill=\"%s\" text-anchor=\"%s\"",
                         size, kInk, anchor);
}

double WidestLabel(const Axis& axis) {
  double widest = 0;
  for (const Tick& tick : axis.ticks) {
    widest = std::max(widest, DrawnWidth(tick.label, kTickSize));
  }
  return widest;
}

// The pixels that an axis of this many has for each of its ticks.
double RoomPerTick(const Axis& axis, double pixels) {
  return pixels / std::max(1.0, static_cast<double>(axis.ticks.size()));
}

// True if two neighbouring labels do not fit side by side.
bool IsSlanted(const Axis& axis, double pixels) {
  const double room = RoomPerTick(axis, pixels);
  for (size_t i = 1; i < axis.ticks.size(); ++i) {
    const double widths = DrawnWidth(axis.ticks[i - 1].label, kTickSize) +
                          DrawnWidth(axis.ticks[i].label, kTickSize);
    if (widths / 2 + kTickGap > room) return true;
  }
  return false;
}

}  // namespace

std::string GroupColor(size_t group) {
  return HexColor(kColors[group % kNumColors]);
}

std::string GroupFill(size_t group) {
  const PaletteColor& color = kColors[group % kNumColors];
  const double tint = kTints[group / kNumColors % std::size(kTints)];
  const auto mixed = [tint](int channel) {
    return static_cast<int>(channel + tint * (255 - channel));
  };
  return HexColor({mixed(color.red), mixed(color.green), mixed(color.blue)});
}

void DrawMark(Svg& svg, const Point& center, double radius, size_t group) {
  const std::string attributes =
      absl::StrCat("fill=\"", GroupColor(group),
                   "\" stroke=\"#ffffff\" stroke-width=\"0.5\"");
  switch (group / kNumColors % 4) {
    case 0:
      return svg.Circle(center, radius, attributes);
    case 1:
      return svg.Polygon(Square(center, 0.88 * radius), attributes);
    case 2:
      return svg.Polygon(Triangle(center, 1.2 * radius), attributes);
    default:
      return svg.Polygon(Diamond(center, 1.25 * radius), attributes);
  }
}

double Legend::Width() const {
  if (names.size() < 2) return 0;
  double widest = 0;
  for (const std::string& name : names) {
    widest = std::max(widest, DrawnWidth(name, kFontSize));
  }
  return kLegendGap + kIndent + std::min(widest, kMaxNameWidth);
}

void Legend::Draw(Svg& svg, const Point& corner, double height) const {
  if (names.size() < 2) return;
  const auto capacity = static_cast<size_t>(height / kMinLine);
  const size_t num_shown =
      names.size() <= capacity ? names.size() : capacity - 1;
  const double line =
      std::min(kLine, height / static_cast<double>(num_shown + 1));
  Point at = {corner.x + kLegendGap, corner.y + line / 2};
  for (size_t i = 0; i < num_shown; ++i, at.y += line) {
    if (key == Key::kMark) {
      DrawMark(svg, {at.x + 5, at.y}, /*radius=*/4.5, i);
    } else {
      svg.Rectangle({at.x, at.y - 5}, 10, 10,
                    absl::StrCat("fill=\"", GroupFill(i), "\""));
    }
    svg.Text({at.x + kIndent, at.y + kFontSize / 3},
             Shortened(names[i], kMaxNameWidth, kFontSize), kTextStyle);
  }
  if (num_shown < names.size()) {
    svg.Text({at.x + kIndent, at.y + kFontSize / 3},
             absl::StrCat("and ", names.size() - num_shown, " more"),
             kTextStyle);
  }
}

Range PaddedRange(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {-0.5, 0.5};
  const double extent = high - low;
  const double room = extent > kHair * std::abs(low)
                          ? extent * kPadding
                          : std::max(std::abs(low) * kPadding, kPadding);
  return {low - room, high + room};
}

std::vector<Tick> RoundTicks(const Range& range, int max_count) {
  const double extent = range.high - range.low;
  Step step{1, static_cast<int>(std::floor(std::log10(extent / max_count)))};
  double first = 0;
  double last = 0;
  for (;; step = step.Next()) {
    first = std::ceil(range.low / step.Times(1) - kHair);
    last = std::floor(range.high / step.Times(1) + kHair);
    if (last - first + 1 <= max_count) break;
  }
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  std::vector<Tick> ticks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) {
    const double count = first + i;
    const double value = count == 0 ? 0 : step.Times(count);  // Never -0.
    ticks.push_back({value, Label(value, step, largest)});
  }
  return ticks;
}

Axis ValueAxis(const Range& range) {
  return {range, RoundTicks(range, kMaxTicks)};
}

Axis NameAxis(const std::vector<std::string>& names) {
  Axis axis{
      {-0.5, static_cast<double>(std::max<size_t>(names.size(), 1)) - 0.5}, {}};
  for (const std::string& name : names) {
    axis.ticks.push_back({static_cast<double>(axis.ticks.size()),
                          Shortened(name, kMaxNameWidth, kTickSize)});
  }
  return axis;
}

PlotFrame::Area PlotFrame::LayOut(const Axis& x, const Axis& y,
                                  const Legend& legend) {
  Area area;
  area.left = kEdge + kAxisText + WidestLabel(y) + kTickGap;
  area.top = kTop;
  area.right = kWidth - kEdge - legend.Width();
  const double names_height = IsSlanted(x, area.right - area.left)
                                  ? kSlantHeight * WidestLabel(x) + kTickSize
                                  : kTickSize;
  area.bottom = kHeight - kEdge - kAxisText - names_height - kTickGap;
  return area;
}

PlotFrame::PlotFrame(const PlotText& text, const Axis& x, const Axis& y,
                     const Legend& legend)
    : area_(LayOut(x, y, legend)),
      x_(x.range),
      y_(y.range),
      svg_(kWidth, kHeight) {
  DrawYAxis(y);
  DrawXAxis(x);
  DrawText(text);
  legend.Draw(svg_, {area_.right, area_.top}, kHeight - kEdge - area_.top);
}

Point PlotFrame::At(double x, double y) const {
  const double x_share = (x - x_.low) / (x_.high - x_.low);
  const double y_share = (y - y_.low) / (y_.high - y_.low);
  return {area_.left + x_share * (area_.right - area_.left),
          area_.bottom - y_share * (area_.bottom - area_.top)};
}

void PlotFrame::DrawYAxis(const Axis& axis) {
  for (const Tick& tick : axis.ticks) {
    const double y = At(x_.low, tick.value).y;
    svg_.Line({area_.left, y}, {area_.right, y}, kGrid);
    // A third of the size below the tick, so that digits are level with it.
    svg_.Text(
        {area_.left - kTickGap, y + kTickSize / 3}, tick.label,
        absl::StrFormat("class=\"y-tick\" %s", TextStyle(kTickSize, "end")));
  }
}

void PlotFrame::DrawXAxis(const Axis& axis) {
  const double width = area_.right - area_.left;
  const bool slanted = IsSlanted(axis, width);
  const auto stride = static_cast<size_t>(
      std::ceil(slanted ? kSlantedLine / RoomPerTick(axis, width) : 1));
  const double bottom = area_.bottom;
  for (size_t i = 0; i < axis.ticks.size(); i += stride) {
    const double x = At(axis.ticks[i].value, y_.low).x;
    svg_.Line({x, bottom}, {x, bottom + 4}, kAxisLine);
    const Point at = {x, bottom + kTickGap + 0.8 * kTickSize};
    std::string style = TextStyle(kTickSize, slanted ? "end" : "middle");
    if (slanted) {
      absl::StrAppendFormat(&style, " transform=\"rotate(%g %.2f %.2f)\"",
                            -kSlantDegrees, at.x, at.y);
    }
    svg_.Text(at, axis.ticks[i].label, "class=\"x-tick\" " + style);
  }
  svg_.Line({area_.left, bottom}, {area_.right, bottom}, kAxisLine);
}

void PlotFrame::DrawText(const PlotText& text) {
  const double width = area_.right - area_.left;
  const double height = area_.bottom - area_.top;
  svg_.Text({area_.left, kTop - 18},
            Shortened(text.title, kWidth - kEdge - area_.left, kTitleSize),
            "font-weight=\"bold\" " + TextStyle(kTitleSize, "start"));
  svg_.Text({area_.left + width / 2, kHeight - kEdge},
            Shortened(text.x_label, width, kLabelSize),
            TextStyle(kLabelSize, "middle"));
  const Point at = {kEdge + kLabelSize / 2, area_.top + height / 2};
  svg_.Text(
      at, Shortened(text.y_label, height, kLabelSize),
      TextStyle(kLabelSize, "middle") +
          absl::StrFormat(" transform=\"rotate(-90 %.2f %.2f)\"", at.x, at.y));
}

}  // namespace ladder::base
