// A reduced-rank fit from rows to the best of several ranks and starts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman {

/// Rows to fit and rows to test on.
struct FitRows {
  std::shared_ptr<const ClassData> train, test;  // test may be null
};

/// Chosen rows of a table, with their classes.
std::shared_ptr<const ClassData> class_rows(const Table& table, const std::vector<int>& y,
                                            const std::vector<Index>& rows, Index classes,
                                            const FeatureMap& map, bool single);
/// 0, 1, …
std::vector<Index> all_rows(Index count);
/// A share of the rows, `settings.holdout`, is drawn for testing.
FitRows split_rows(const Table& table, const std::vector<int>& y, Index classes,
                   const FeatureMap& map, bool single, const ReducedRankSettings& settings);

/// One rank from one start.
struct RankFit {
  Index rank, start;
  Index tried;  // starts that were searched for this one; 1: none but this
  FitSummary end;
  ReducedRank point;
  double gain;  // nats per row still to be gained
  Evaluation train;
  std::optional<Evaluation> test;
};
RankFit fit_rank(const FitRows& rows, const ReducedRankSettings& settings, Index rank, Index start,
                 const MemoryPlan& plan, Driver& driver);

struct RankPath {
  std::vector<RankFit> fits;
  std::size_t best = 0;
};
/// Every rank from every start, until somebody interrupts; each of several is a part of the driver's, called part_name(),
/// with part_result() as its result. The best start is the one of the least objective; among ranks the held-out rows
/// decide, and without any the largest stands. No fits if there was an interruption from the beginning.
RankPath fit_ranks(const FitRows& rows, const ReducedRankSettings& settings,
                   const std::vector<Index>& ranks, const MemoryPlan& plan, Driver& driver);
std::string part_name(Index rank, Index start);
Fields part_result(const RankFit& fit);

/// Ranks and ridges tried on folds of the rows.
struct CrossValidation {
  struct Trial {
    Index rank;
    double ridge, loss, error,
        accuracy;  // means over the folds; `error` is the standard error of the loss
  };
  Index folds = 0;
  std::vector<Trial> trials;
  std::size_t best = 0;    // the least loss
  std::size_t chosen = 0;  // the simplest within a standard error of it
};
/// `settings.cv` folds, in parallel; what is known of the features is taken from all rows. Nothing if it was interrupted.
std::optional<CrossValidation> cross_validate(const ClassData& data,
                                              const ReducedRankSettings& settings,
                                              const std::vector<Index>& ranks,
                                              std::vector<double> ridges, Driver& driver);

/// Standard errors, if they are wanted: `settings.standard_errors`. `asked` tells; `why_not` says why there are none then.
struct Errors {
  bool asked = false;
  std::string why_not = {};
  std::optional<Uncertainty> uncertainty = {};
};
Errors standard_errors(const FitRows& rows, const RankFit& fit,
                       const ReducedRankSettings& settings);

}  // namespace fisherman
