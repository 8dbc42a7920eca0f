// What is done to the columns of the data before a regression, so that it can be done again to new rows, and the prior
// of the coefficients.
#pragma once

#include <string>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/fit/options.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/model/target_rows.hpp"

namespace fisherman {

/// Settings of regressions with an intercept and a normal prior.
struct ColumnSettings {
  double prior_variance = 10.0;
  bool intercept = true;
  /// Weak: with standard deviation 10 the log odds of an average row may be anything that data can tell from
  /// 0 or 1, and an intercept that some dozens of rows of each class determine is not pulled.
  double intercept_variance = 100.0;
  bool no_standardize = false;

  /// `weight` is what a coefficient is called; `except` follows "an intercept besides the columns of the data".
  void describe_columns(Options& options, const std::string& weight,
                        const std::string& except = "");
};

/// One for each of the columns, of which the number is given, and one for the intercept, if there is one.
Vector prior_variances(const ColumnSettings& settings, Index columns);

struct Preparation {
  std::vector<std::string> names;  // of the coefficients; the intercept last, if there is one
  Vector shift, scale;             // x ↦ (x − shift)/scale; a constant column becomes 0
  bool intercept = false;
  std::vector<std::string> warnings;

  /// Together, if the rows of the table are a part of all.
  static Preparation of(const Table& table, const ColumnSettings& settings);
  static Preparation of(const Matrix& x, std::vector<std::string> names,
                        const ColumnSettings& settings);
  /// The design matrix. Throws Misuse unless x has the columns that were prepared.
  Matrix design(Matrix x) const;
  /// The same of a table's rows, which stay in their file if they are there. In memory they are taken out of the table.
  TargetRows design(Table& table) const;
};

}  // namespace fisherman
