// model.json of a logistic fit: the posterior, and how to prepare rows for it.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fisherman/fit/logistic.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman::cli {

/// The design matrix of a table that may have more columns than the fit, in any order. Throws FileError.
Matrix design_of(const Table& table, const std::string& file,
                 const std::vector<std::string>& columns, const Preparation& preparation);

struct LogisticModel {
  Preparation preparation;
  GaussianPoint q;
  std::vector<std::string> columns;  // of the data, in the fit's order
  std::array<std::string, 2> classes;
  std::string label;

  /// `file` is what errors name. Throws FileError unless the JSON is that of a logistic fit.
  static LogisticModel from_json(const nlohmann::json& model, const std::string& file);

  Matrix design(const Table& table, const std::string& file) const {
    return design_of(table, file, columns, preparation);
  }
};

}  // namespace fisherman::cli
