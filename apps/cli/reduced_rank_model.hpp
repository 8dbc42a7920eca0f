// model.json of a reduced-rank fit: the factors, and how to prepare rows for them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/reduced_rank.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman::cli {

struct ReducedRankModel {
  FeatureMap map;
  ReducedRank point;
  std::vector<std::string> classes;
  std::string label;

  nlohmann::ordered_json to_json() const;
  /// `file` is what errors name. Throws FileError unless the JSON is that of a reduced-rank fit.
  static ReducedRankModel from_json(const nlohmann::json& model, const std::string& file);
  /// Rows as columns, of a table that may have more columns, in any order. Throws FileError.
  Matrix design(const Table& table, const std::string& file) const;
};

/// A line a row: the likeliest class, and the probability of each, with standard errors if there are any.
std::string predictions_csv(const ReducedRankModel& model, const Matrix& x,
                            const std::optional<Uncertainty>& uncertainty);

}  // namespace fisherman::cli
