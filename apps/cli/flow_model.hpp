// model.json of a flow: its parameters, and how to prepare rows for it.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fisherman/fit/flow.hpp"
#include "fisherman/fit/logistic.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman::cli {

struct FlowModel {
  Preparation preparation;
  std::vector<std::string> columns;  // of the data, in the fit's order
  std::array<std::string, 2> classes;
  std::string label;
  FlowSettings settings;
  Index weights = 0;
  Vector state;  // of the frame

  /// `file` is what errors name. Throws FileError unless the JSON is that of a flow.
  static FlowModel from_json(const nlohmann::json& model, const std::string& file);

  /// From 1,000 draws of the weights: for each row of the table the mean of P(y = 1), its standard
  /// deviation, and the 5% and 95% quantiles. Throws FileError, naming `file`, if a column is missing.
  Matrix predictive(const Table& table, const std::string& file) const;
};

}  // namespace fisherman::cli
