// A figure of the paper as a study: lines in panels, each line tuned, run from several seeds, and held against
// what the paper says of it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"
#include "search.hpp"
#include "study_flags.hpp"
#include "summary.hpp"

namespace fisherman::cli::study {

/// One method on one problem.
struct Line {
  std::string label;
  int colour;  // as in page.css; ours is the last
  std::size_t problem;
  Settings settings;
  std::string grid;                          // what is tuned, and over which values; empty: nothing
  std::optional<std::size_t> tuned_as = {};  // or this line's choice, with our settings over it
  std::int64_t runs = 0;                     // 0: as many as the plan says
};

struct PanelPlan {
  std::string title;
  std::vector<std::size_t> lines;
};

/// What was measured, a Band a line: gaps if the problems have a reference, objectives otherwise.
struct Measured {
  std::vector<Band> bands;
  std::vector<std::string> tuned;                 // what the search chose, in words
  std::vector<double> references;                 // a problem: the optimum, or NaN
  std::vector<std::vector<Search::Tried>> tried;  // a line: all that was tried, best first
};

/// One thing that the paper says of one panel, and what came out.
struct Finding {
  std::string claim, where;
  std::optional<bool> holds;  // nothing, if it could not be told
  std::string measured;
};

/// How much of it: as in the paper, or less.
struct Extent {
  std::int64_t iterations, random, rounds, tuning_seeds, runs;
  std::int64_t
      transport_runs;  // with the paper's transport, beside those with the frame, which costs nothing
};

struct FigurePlan {
  std::string name, title, about, y_name;
  bool log = true;
  SearchOptions search;
  std::int64_t seeds = 10;
  std::vector<std::string> problem_names;
  std::vector<Problem> problems;
  std::vector<Line> lines;
  std::vector<std::vector<PanelPlan>> panels;  // as the paper arranges them
  std::vector<std::string> notes;              // where this differs from the paper
  std::function<std::vector<Finding>(const FigurePlan&, const Measured&)> findings;

  std::int64_t runs_of(const Line& line) const { return line.runs > 0 ? line.runs : seeds; }
  /// What the results depend on.
  Json identity() const;
};

/// Runs what has not been run, in the folder; nothing if a signal came first.
std::optional<Measured> measure(const FigurePlan& plan, Store& store, const StudyFlags& flags);

/// report.html, figure.svg, a CSV of the lines, one of the trials, verdicts.txt; and figure.png if rsvg-convert is
/// installed.
void write_figure(const FigurePlan& plan, const Measured& measured, Store& store);

/// A figure of the paper. `folder` holds the data.
struct FigureKind {
  const char *name, *help;
  Extent full, quick;
  FigurePlan (*plan)(const Extent& extent, const std::filesystem::path& folder);
};
const FigureKind& figure_gaussian();
const FigureKind& figure_gaussian_large();
const FigureKind& figure_reduced_rank();
const FigureKind& figure_flow();

/// A method's mean at the end with its standard error, as a verdict has it; or how many runs diverged.
std::string end_words(const Band& band, int digits = 3);

/// Whether one ends below the other, which a diverged one does not. Nothing, if they are less than two standard errors of
/// their difference apart.
std::optional<bool> ends_below(const Band& low, const Band& high);

/// "500 iterations (the paper has 2500), …": where an extent is less than the full one.
std::string extent_words(const Extent& extent, const Extent& full);

}  // namespace fisherman::cli::study
