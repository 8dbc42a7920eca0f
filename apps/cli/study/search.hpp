// The paper's way to choose settings: random cells of a grid, then the neighbours of the best
// (appendix "Experiment Details - VI"). What is tried next depends on the results alone, so a search that was cut short
// goes on as if it had not been.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "grid.hpp"
#include "problem.hpp"
#include "store.hpp"

namespace fisherman::cli::study {

struct SearchOptions {
  std::size_t random = 25;  // cells
  std::size_t rounds = 1;   // of neighbours of the best
  std::int64_t seeds = 1;   // runs of each cell, whose mean counts
  std::uint64_t seed = 1;   // of the choice of cells
  std::size_t most = std::numeric_limits<std::size_t>::max();  // trials
};

class Search {
 public:
  /// Throws Misuse for a grid of options or values that the fit does not have.
  Search(const Problem& problem, Settings fixed, SettingsGrid grid, SearchOptions options);

  /// The trials of the next phase; none when the search is over. Those before must have been given back.
  std::vector<Trial> next(Store& store);
  /// The trials that next() gave, in its order; those that have not ended are left out.
  void give_back(const std::vector<Trial>& trials);

  struct Tried {
    Cell cell;
    double objective;  // mean over seeds; infinite if one of them did not end well
    double seconds;
    bool descended;  // every run ended well, and lower than it was when it was first evaluated
  };
  /// Best first.
  std::vector<Tried> ranking() const;
  /// The settings of a cell together with the fixed ones.
  Settings settings(const Cell& cell) const;
  /// "step-size 0.01, decay 0.5".
  std::string words(const Cell& cell) const;
  /// Which cell a trial of the present phase is of.
  const Cell* cell_of(const Trial& trial) const;

 private:
  std::vector<Cell> next_cells() const;

  const Problem& problem_;
  Settings fixed_;
  SettingsGrid grid_;
  SearchOptions options_;
  std::vector<Tried> tried_;
  std::vector<Cell> asked_;
  std::vector<std::int64_t> asked_ids_;
  std::size_t phases_ = 0, trials_ = 0;
};

}  // namespace fisherman::cli::study
