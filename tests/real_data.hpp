// Where the real data sets are, if they are anywhere.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

inline std::filesystem::path real_data_folder() {
  const char* given = std::getenv("FISHERMAN_DATA_DIR");
  return given != nullptr ? std::filesystem::path(given)
                          : std::filesystem::path(FISHERMAN_SOURCE_DIR) / "../shared/data";
}

inline constexpr const char* no_real_data =
    "the real data sets are not here; FISHERMAN_DATA_DIR can name their folder";

/// Columns standardised with the population's deviation (a constant one is 0), and the classes as 0, 1.
inline std::pair<Matrix, Vector> standardised(Table table) {
  for (auto column : table.x.colwise()) {
    column.array() -= column.mean();
    const double deviation = std::sqrt(column.squaredNorm() / double(column.size()));
    if (deviation > 0.0) column /= deviation;
  }
  return {std::move(table.x), binary_labels(table.labels, "the table").y};
}

}  // namespace fisherman
