// What a reduced-rank fit takes if it is left to us.
#pragma once

#include <cstdint>

#include "fisherman/core/types.hpp"

namespace fisherman::reduced_rank_defaults {

inline constexpr Index usual_rank = 5;
inline constexpr double usual_ridge = 1.0, ridge_grid[] = {0.01, 0.1, 1.0, 10.0, 100.0};
inline constexpr Index rank_grid[] = {1, 2, 3, 5, 8, 12, 20};
inline constexpr double fold_tolerance = 1e-5;          // of fits that are only to be compared
inline constexpr std::int64_t least_iterations = 1000;  // if the number is left to us
inline constexpr double ifngd_step_size = 0.4, learnt_step_size = 0.2, plain_step_size = 1.0;
inline constexpr double ifngd_delay = 50.0;
// The shares of a batch that the Fisher estimate learns from, and of the squared scores that it starts from.
inline constexpr Index decorrelated_share = 8, usual_share = 4, epsilon_share = 64;

// The two phases of lbfgs. docs/results.md tells how they were found.
inline constexpr Index descent_batch = 256, usual_batch = 128;
inline constexpr double descent_step_size = 0.2, descent_delay = 50.0, descent_radius = 0.5;
inline constexpr std::int64_t least_minibatches =
    64;  // fewer than that in a pass are no phase of their own
inline constexpr double usual_passes = 3.0, descent_passes = 1.0;
inline constexpr Index descent_memory = 30;     // pairs
inline constexpr Index most_correlated = 4096;  // features whose correlation is taken in
inline constexpr double many_numbers = 1e7;     // in a table that is kept in single precision

// The search for a start: short fits to rows spread over the data. docs/results.md tells how they were found.
inline constexpr Index searched_starts = 6, searched_rows = 5000;
inline constexpr std::int64_t searched_iterations = 45;

// Converged: a gain of less than so much over all rows moves no coefficient by a tenth of its standard error, for
// a coefficient that is δ standard errors away has ½δ² nats to gain.
inline constexpr double total_tolerance = 0.005, most_tolerance = 1e-4, settled_tolerance = 0.02;

}  // namespace fisherman::reduced_rank_defaults
