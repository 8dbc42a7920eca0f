// What there is to say about fits, as data: text, tables, charts, intervals, pictures. A front end shows it,
// the command line as an HTML page, and nothing here knows how.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman::report {

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

/// Named intervals on one axis, of several series each.
struct Forest {
  struct Interval {
    double middle, low, high;
  };
  struct Row {
    std::string name;
    std::vector<std::optional<Interval>> intervals;  // one per series
    double strength = 0.0;                           // rows can be put in this order, largest first
  };
  std::vector<std::string> series;
  std::vector<Row> rows;
  std::size_t shown = 30;  // the rest is folded away at first
};

/// Lines or dots. NaN where there is no value.
struct Chart {
  struct Axis {
    std::string name;
    bool log = false;
    bool zero = false;  // begins there
  };
  struct Series {
    std::string name;
    std::vector<std::vector<double>> x;  // for each of the chart's x axes
    std::vector<double> y;
    bool dots = false;                        // without a line
    std::vector<double> low = {}, high = {};  // intervals
    bool band = false;                        // intervals as an area
    std::vector<double> size = {};            // radii of dots
    std::vector<std::string> labels = {};     // words beside the dots
    int colour = -1;                          // by default in their order
  };
  std::vector<Axis> x;  // one is shown, and the reader chooses
  Axis y;
  std::vector<Series> series = {};
  bool square = false;
  bool diagonal = false;  // the line y = x on the unit square
};

// The parts of a section.
struct Paragraph {
  Cell text;
};
struct List {
  std::vector<Cell> items;
};
/// Large figures with a word about each.
struct Figures {
  std::vector<std::pair<std::string, Cell>> facts;
};
struct TablePart {
  Grid grid;
  std::string summary;  // the table is folded away behind it; empty: it is not
};
struct ChartPart {
  Chart chart;
  std::string caption;
};
/// A row of small charts with a title each and one legend, the first one's; every series has a colour.
struct Panels {
  std::vector<std::pair<std::string, Chart>> charts;
};
/// Matrices as pictures side by side: positive numbers red, negative ones blue, each picture on a scale of its own. The
/// number of pictures in a row, and the number of pixels along the side of a matrix entry, are given.
struct Picture {
  std::vector<Matrix> tiles;
  Index in_a_row, pixels;
  std::string caption;
};
using Part = std::variant<Paragraph, List, Figures, TablePart, Forest, ChartPart, Panels, Picture>;

struct Section {
  std::string title;
  std::vector<Part> parts = {};

  explicit Section(std::string name) : title(std::move(name)) {}

  Section& add(Part part) {
    parts.push_back(std::move(part));
    return *this;
  }
  Section& paragraph(std::string text, Tone tone = Tone::plain) {
    return add(Paragraph{Cell(std::move(text), tone)});
  }
  Section& list(std::vector<Cell> items) { return add(List{std::move(items)}); }
  Section& figures(std::vector<std::pair<std::string, Cell>> facts) {
    return add(Figures{std::move(facts)});
  }
  Section& table(Grid grid, std::string summary = {}) {
    return add(TablePart{std::move(grid), std::move(summary)});
  }
  Section& forest(Forest forest) { return add(std::move(forest)); }
  Section& chart(Chart chart, std::string caption) {
    return add(ChartPart{std::move(chart), std::move(caption)});
  }
  Section& panels(std::vector<std::pair<std::string, Chart>> charts) {
    return add(Panels{std::move(charts)});
  }
  Section& picture(std::vector<Matrix> tiles, Index in_a_row, Index pixels, std::string caption) {
    return add(Picture{std::move(tiles), in_a_row, pixels, std::move(caption)});
  }
};

struct Page {
  std::string title;
  std::string about;   // a line below the title
  Cell verdict = "";   // in plain words
  std::string footer;  // how it was made
  std::vector<Section> sections = {};
};

/// A figure as people read it: so many significant digits, no trailing zeros; "not known" for NaN.
std::string figure(double value, int digits = 4);
/// So many digits after the point.
std::string fixed(double value, int decimals);

}  // namespace fisherman::report
