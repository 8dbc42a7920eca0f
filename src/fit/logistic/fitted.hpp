#pragma once

#include <memory>

#include "../binary_fitted.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/logistic.hpp"

namespace fisherman {

/// A Gaussian over the coefficients of a logistic regression.
class LogisticFitted final : public BinaryFitted {
 public:
  GaussianPoint q;
  std::shared_ptr<const LogisticTarget> target;  // nothing for a fit that was loaded

  static std::unique_ptr<Fitted> fit(FitData data, const FitSettings& settings, Driver& driver);
  static std::unique_ptr<Fitted> load(const SavedFit& saved);

  Fields result() const override;
  Fields model() const override;
  Fields parameters() const override;
  std::string text(const Output& output) const override;
  std::vector<NamedFile> tables(const Output& output) const override;
  Matrix predictive(const Matrix& design) const override;
  FittedDraws draws(Index count, std::uint64_t from_seed, Units units) const override;
};

}  // namespace fisherman
