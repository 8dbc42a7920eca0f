// Pictures made of numbers, as PNG.
#pragma once

#include <string>
#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman::cli::report {

/// Matrices side by side, `across` in a row: blue below zero, white at zero, red above. Each has its own
/// scale, from its largest absolute value. An entry is a square of `pixels` by `pixels`.
std::string tiles_png(const std::vector<Matrix>& tiles, Index across, Index pixels);

}  // namespace fisherman::cli::report
