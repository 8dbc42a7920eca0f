#include "fisherman/fit/units.hpp"

namespace fisherman {
namespace {

/// A constant that is implied: there is no intercept that could hold it.
bool implies_constant(const Preparation& p) { return !p.intercept && !p.shift.isZero(0.0); }

}  // namespace

void describe_units(Options& options, Units& units, const std::string& help) {
  options.add("units", units, help,
              Words<Units>{{Units::own, units_name(Units::own), "those of the columns as given"},
                           {Units::standardized, units_name(Units::standardized),
                            "those of standardised columns"}});
}

std::string units_name(Units units) { return units == Units::own ? "own" : "standardized"; }

std::string units_words(Units units) {
  return units == Units::own ? "the columns' own units"
                             : "units of standardised columns (1 is a standard deviation)";
}

Matrix in_own_units(const Matrix& betas, const Preparation& p) {
  const Index columns = p.shift.size(), given = columns + (p.intercept ? 1 : 0);
  require_size(betas, given, "the coefficients of a fit");
  Matrix out(given + (implies_constant(p) ? 1 : 0), betas.cols());
  out.topRows(columns) = betas.topRows(columns).array().colwise() / p.scale.array();
  if (out.rows() == columns) return out;
  out.bottomRows(1).noalias() = -p.shift.transpose() * out.topRows(columns);
  if (p.intercept) out.bottomRows(1) += betas.bottomRows(1);
  return out;
}

GaussianPoint in_own_units(const GaussianPoint& q, const Preparation& p) {
  // With A the linear map, AΣAᵀ = A(AΣ)ᵀ.
  const Matrix half = in_own_units(q.covariance, p);
  const Matrix covariance = in_own_units(Matrix(half.transpose()), p);
  return {in_own_units(Matrix(q.mean), p), 0.5 * (covariance + covariance.transpose())};
}

std::vector<std::string> own_names(const Preparation& p) {
  std::vector<std::string> names = p.names;
  if (implies_constant(p)) names.emplace_back("(constant)");
  return names;
}

Matrix network_in_own_units(Matrix betas, const Preparation& p, Index hidden) {
  const Index columns = p.shift.size();
  require_size(betas, hidden * (columns + 2) + 1, "the weights of a neural network");
  Preparation unit = p;  // a unit's bias is its intercept
  unit.intercept = true;
  for (Index j = 0; j < hidden; ++j) {
    auto own = betas.middleRows(j * (columns + 1), columns + 1);
    own = in_own_units(Matrix(own), unit);
  }
  return betas;
}

Coefficients coefficients_in(Units units, const GaussianPoint& q, const Preparation& p) {
  if (units == Units::standardized) return {p.names, q};
  return {own_names(p), in_own_units(q, p)};
}

}  // namespace fisherman
