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

Preparation Preparation::of(const Table& table, const ColumnSettings& settings) {
  Preparation p;
  p.names = table.names;
  p.intercept = settings.intercept;
  const Index columns = table.columns();
  p.shift = Vector::Zero(columns);
  p.scale = Vector::Ones(columns);
  if (!settings.no_standardize) {
    const std::vector<ColumnScale> scales = column_scales(table);
    for (Index j = 0; j < columns; ++j) {
      const ColumnScale& column = scales[std::size_t(j)];
      p.shift(j) = column.mean;
      if (!column.constant()) {
        p.scale(j) = column.sd;
      } else {
        p.warnings.push_back(
            "column '" + p.names[std::size_t(j)] +
            "' is constant: standardised it is zero, and its coefficient stays at the prior");
      }
    }
  }
  if (p.intercept) p.names.emplace_back("(intercept)");
  return p;
}

Preparation Preparation::of(const Matrix& x, std::vector<std::string> names,
                            const ColumnSettings& settings) {
  Table table;
  table.names = std::move(names);
  table.lent = std::make_shared<const LentRows>(
      x.data(), x.rows(), x.cols(),
      Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(x.outerStride(), 1));
  return of(table, settings);
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

TargetRows Preparation::design(Table& table) const {
  const RowPart part = table.rows_here();
  if (!table.stored) {
    Matrix x = table.lent ? Matrix(*table.lent) : std::move(table.x);
    table.x.resize(0, 0);
    return {design(std::move(x)), part};
  }
  const Preparation how = *this;
  const auto prepared =
      std::make_shared<const MappedRows>(table.stored, shift.size() + (intercept ? 1 : 0),
                                         [how](Matrix x) { return how.design(std::move(x)); });
  return {prepared, part};
}

}  // namespace fisherman
