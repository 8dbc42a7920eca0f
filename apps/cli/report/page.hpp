// A self-contained HTML page, built from text, tables, charts and pictures. Whatever is put into it is
// data: it is escaped here, where the HTML is made, and there is no way to pass HTML through.
//
// The page loads nothing from anywhere. Charts are drawn by Chart.js, which is part of the page;
// without JavaScript the text and the tables are still there. How a page looks is in page.css, what
// moves in page.js.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fisherman::cli::report {

using Json = nlohmann::ordered_json;

/// For element content and quoted attributes. Control characters, which HTML forbids, become U+FFFD.
std::string escaped(std::string_view text);

/// JSON that may stand inside a <script> element, whatever its strings hold. NaN and infinities are null.
std::string script_json(const Json& value);

/// Says how to take something, in colour and beside the words.
enum class Tone { plain, good, mind, bad };

struct Cell {
  Cell(std::string t, Tone how = Tone::plain) : text(std::move(t)), tone(how) {}  // NOLINT
  Cell(const char* t, Tone how = Tone::plain) : Cell(std::string(t), how) {}      // NOLINT

  std::string text;
  Tone tone;
};

struct Grid {
  struct Column {
    std::string title;
    bool number = false;  // set to the right
    int colour = -1;      // of this series, as in the charts
  };
  struct Row {
    std::vector<Cell> cells;
    bool marked = false;  // stands out
    int colour = -1;      // of this series
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// Named intervals on one axis, of several series each: a forest plot, as a table that draws itself.
struct Forest {
  struct Interval {
    double middle, low, high;
  };
  struct Row {
    std::string name;
    std::vector<std::optional<Interval>> intervals;  // one a series
    double strength = 0.0;                           // rows can be put in this order, largest first
  };
  std::vector<std::string> series;
  std::vector<Row> rows;
  std::size_t shown = 30;  // the rest is folded away at first
};

class Section {
 public:
  explicit Section(std::string title) : title_(std::move(title)) {}

  Section& paragraph(std::string_view text, Tone tone = Tone::plain);
  Section& list(const std::vector<Cell>& items);
  /// Large figures with a word about each.
  Section& figures(const std::vector<std::pair<std::string, Cell>>& facts);
  /// With a `summary`, the table is folded away behind it.
  Section& table(const Grid& grid, std::string_view summary = {});
  Section& forest(const Forest& forest);
  /// What page.js draws from: {"kind": "lines", …}, see there.
  Section& chart(const Json& spec, std::string_view caption);
  /// A row of small charts with a title each and one legend, the first one's; every series has a "colour". On a
  /// narrow screen they are below each other.
  Section& panels(const std::vector<std::pair<std::string, Json>>& charts);
  /// `type` as in "image/png".
  Section& picture(std::string_view type, std::string_view bytes, std::string_view caption);

  const std::string& title() const { return title_; }
  const std::string& body() const { return body_; }
  bool has_chart() const { return has_chart_; }

 private:
  std::string title_, body_;
  bool has_chart_ = false;
};

struct Page {
  std::string title;
  std::string about;   // a line below the title
  Cell verdict = "";   // in plain words
  std::string footer;  // how it was made
  std::vector<Section> sections = {};

  std::string html() const;
};

/// A figure as people read it: so many significant digits, no trailing zeros; "not known" for NaN.
std::string figure(double value, int digits = 4);
/// So many digits after the point.
std::string fixed(double value, int decimals);

}  // namespace fisherman::cli::report
