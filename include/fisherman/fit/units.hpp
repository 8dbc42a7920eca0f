// Coefficients in the units of the columns as they were given. A fit is to standardised columns, (x − shift)/scale;
// the coefficients of the columns themselves are a linear function of its coefficients, so that a Gaussian remains one.
#pragma once

#include <string>
#include <vector>

#include "fisherman/fit/gaussian.hpp"
#include "fisherman/fit/options.hpp"
#include "fisherman/fit/preparation.hpp"

namespace fisherman {

/// Which units coefficients are told in.
enum class Units { own, standardized };

/// The option --units.
void describe_units(Options& options, Units& units, const std::string& help);
/// "own" or "standardized".
std::string units_name(Units units);
/// What a heading says of them.
std::string units_words(Units units);

/// βⱼ/scaleⱼ for each column, and the intercept − Σ shiftⱼβⱼ/scaleⱼ. One row of `betas` a coefficient of the fit, one
/// column a draw.
///
/// Without an intercept, columns that were shifted imply a constant all the same: −Σ shiftⱼβⱼ/scaleⱼ. It is told as the
/// last coefficient, "(constant)". It has no freedom of its own: it is a function of the others, and the covariance with
/// it is singular.
Matrix in_own_units(const Matrix& betas, const Preparation& preparation);
GaussianPoint in_own_units(const GaussianPoint& q, const Preparation& preparation);
/// The names of what in_own_units() gives.
std::vector<std::string> own_names(const Preparation& preparation);

/// The same for a network with so many hidden units (include/fisherman/model/neural.hpp has the order of its weights):
/// each unit's weights and bias; what leads from the units to the outcome has no units. The names remain.
Matrix network_in_own_units(Matrix betas, const Preparation& preparation, Index hidden);

/// The coefficients of a fit in either units, with their names.
struct Coefficients {
  std::vector<std::string> names;
  GaussianPoint q;
};
Coefficients coefficients_in(Units units, const GaussianPoint& q, const Preparation& preparation);

}  // namespace fisherman
