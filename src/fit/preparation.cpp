#include "fisherman/fit/preparation.hpp"

#include "column_scale.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman {

void ColumnSettings::describe_columns(Options& o, const std::string& weight,
                                      const std::string& except) {
  using Rule = Options::Rule;
  o.add("prior-variance", prior_variance,
        sentence("prior variance of each ", weight, " except the intercept"), Rule::positive);
  o.add("intercept", intercept, sentence("an intercept besides the columns of the data", except));
  o.add("intercept-variance", intercept_variance,
        "prior variance of the intercept, which is the log odds where all standardised columns are "
        "0",
        Rule::positive);
  o.add("no-standardize", no_standardize,
        "use the columns as they are, without standardising them");
}

Vector prior_variances(const ColumnSettings& settings, Index columns) {
  Vector out = Vector::Constant(columns + (settings.intercept ? 1 : 0), settings.prior_variance);
  if (settings.intercept) out(columns) = settings.intercept_variance;
  return out;
}

Preparation Preparation::of(const Matrix& x, std::vector<std::string> names,
                            const ColumnSettings& settings) {
  Preparation p;
  p.names = std::move(names);
  p.intercept = settings.intercept;
  p.shift = Vector::Zero(x.cols());
  p.scale = Vector::Ones(x.cols());
  for (Index j = 0; j < x.cols() && !settings.no_standardize; ++j) {
    const ColumnScale column = column_scale(x.col(j), p.names[std::size_t(j)]);
    p.shift(j) = column.mean;
    if (!column.constant()) {
      p.scale(j) = column.sd;
    } else {
      p.warnings.push_back(
          "column '" + p.names[std::size_t(j)] +
          "' is constant: standardised it is zero, and its coefficient stays at the prior");
    }
  }
  if (p.intercept) p.names.emplace_back("(intercept)");
  return p;
}

Matrix Preparation::design(Matrix x) const {
  require(x.cols() == shift.size(), "the data have ", x.cols(),
          " columns, but the fit was made with ", shift.size());
  x.rowwise() -= shift.transpose();
  x.array().rowwise() /= scale.transpose().array();
  if (intercept) {
    x.conservativeResize(Eigen::NoChange, x.cols() + 1);
    x.rightCols(1).setOnes();
  }
  return x;
}

}  // namespace fisherman
