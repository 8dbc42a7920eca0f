// What fits with two classes have in common: columns that were prepared, and probabilities with their uncertainty.
#pragma once

#include <array>
#include <string>

#include "fisherman/fit/fitted.hpp"
#include "fisherman/fit/preparation.hpp"

namespace fisherman {

class BinaryFitted : public Fitted {
 public:
  Preparation preparation;
  std::array<std::string, 2> classes;
  double khat = Record::unknown;

  /// For each row of a design: the mean of P(y = 1), its standard deviation, its 5% and 95% quantiles.
  virtual Matrix predictive(const Matrix& design) const = 0;

  Predictions predict(const Table& rows, const std::string& where, bool errors) const override;
  Fields score(const Table& rows, const Predictions& predictions, const std::string& where,
               const std::string& labels_where) const override;

 protected:
  /// Of the data: their columns, classes and preparation. Takes over the names, and hands on the warnings.
  void take(const FitData& data, Preparation how, std::array<std::string, 2> names_of_classes);
  void save_columns(Fields& model) const;
  /// Throws Misuse for sizes that do not go together.
  void load_columns(const Fields& model);
  void add_khat(Fields& result) const;
  /// "Pareto k 0.21, good".
  std::string khat_words() const;
  void add_column_parameters(Fields& parameters) const;
};

}  // namespace fisherman
