// What a reduced-rank fit takes if it is left to us.
#pragma once

#include <cstdint>

#include "fisherman/core/types.hpp"

namespace fisherman::reduced_rank_defaults {

inline constexpr std::int64_t least_iterations = 1000;  // if the number is left to us
inline constexpr double ifngd_step_size = 0.4, learnt_step_size = 0.2, plain_step_size = 1.0;
inline constexpr double ifngd_delay = 50.0;
// The shares of a batch that the Fisher estimate learns from, and of the squared scores that it starts from.
inline constexpr Index decorrelated_share = 8, usual_share = 4, epsilon_share = 64;

}  // namespace fisherman::reduced_rank_defaults
