// What a flow takes if it is left to us.
#pragma once

#include <cstdint>

#include "fisherman/core/types.hpp"

namespace fisherman::flow_defaults {

inline constexpr std::int64_t at_most = 40000;        // iterations, if the number is left to us
inline constexpr std::int64_t at_most_before = 2000;  // of the Gaussian that a flow begins at
inline constexpr double flow_tolerance = 1.0;         // nats
// Of natural gradients, and of gradients on the manifold as they are.
inline constexpr double flow_natural_step_size = 0.05, flow_plain_step_size = 3e-4;
inline constexpr double flow_plain_norm_cap = 0.3;
inline constexpr Index least_window = 200, most_window = 800;
inline constexpr Index most_rows_at_once = 5000, rows_of_many = 1000;

}  // namespace fisherman::flow_defaults
