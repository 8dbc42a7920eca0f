// The Fisher approximation is a choice like any other. A fit says what it offers, and one function makes any approximation
// of that: a new one is added here, and every fit has it.
#pragma once

#include <optional>
#include <vector>

#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/outer_scores.hpp"
#include "fisherman/fisher/score_store.hpp"
#include "fisherman/fit/options.hpp"

namespace fisherman {

enum class FisherChoice {
  automatic,
  exact,
  dense,
  blocks,
  columns,
  decorrelated,
  kronecker,
  window,
  identity
};
Words<FisherChoice> fisher_words();

/// What a fit tells of its coordinates and scores.
struct FisherOffer {
  /// Coordinates that hardly mix with the others: a vector, or a matrix, column after column.
  struct Block {
    Index rows, cols = 1;
    double epsilon = 0.0;  // H₀ = εI of it
    bool matrix = false;
    bool large = false;  // a matrix that is worth cutting into columns
    Index size() const { return rows * cols; }
  };
  std::vector<Block> blocks;
  double epsilon = 0.0;                               // of all coordinates as one
  Index scores = 1;                                   // at a time
  bool closed_form = false;                           // the model has fisher()
  std::optional<OuterBlock> outer = {};               // the scores have outer products there
  Index outer_every = 1;                              // iterations for each that it learns from
  std::optional<FactoredScores::Shape> factors = {};  // the scores have factors
  Index window = 200;                                 // number of scores that a window keeps
  double window_epsilon = 0.0;                        // 0: that number
  bool single = false;                                // large operators in single precision

  Index dimension() const;
};

/// Throws Misuse for an approximation that needs what is not offered, and for `automatic`.
AnyFisher make_fisher(FisherChoice choice, const FisherOffer& offer);
/// What it takes, in bytes, roughly; on the rank that keeps the most of it, if they share it.
double fisher_memory(FisherChoice choice, const FisherOffer& offer);
/// Whether epsilon matters to it: it starts from εI.
bool starts_from_epsilon(FisherChoice choice);

}  // namespace fisherman
