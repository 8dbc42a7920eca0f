#include "fisherman/fit/fitted.hpp"

#include <algorithm>

#include "fisherman/core/error.hpp"

namespace fisherman {

ClassLabels FitData::class_labels() const {
  if (classes.empty()) return fisherman::class_labels(table.labels, labels_where);
  require(classes.size() >= 2, "there is one class only, but two are needed");
  return {codes, classes};
}

BinaryLabels FitData::binary_labels() const {
  if (classes.empty()) return fisherman::binary_labels(table.labels, labels_where);
  require(classes.size() == 2, "there are ", classes.size(), " classes, but must be two");
  Vector y{Index(codes.size())};
  for (std::size_t i = 0; i < codes.size(); ++i) y(Index(i)) = double(codes[i]);
  return {std::move(y), {classes[0], classes[1]}};
}

Matrix columns_of(const Table& table, const std::vector<std::string>& names,
                  const std::string& where) {
  if (table.names == names) return table.x;
  Matrix x(table.x.rows(), Index(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto found = std::find(table.names.begin(), table.names.end(), names[k]);
    if (found == table.names.end())
      throw FileError(
          sentence(where, ": has no column '", names[k], "', which the fit was made with"));
    x.col(Index(k)) = table.x.col(found - table.names.begin());
  }
  return x;
}

void Output::describe(Options& o) {
  o.add("draws", draws, "number of draws in draws.csv (needs --out)");
  describe_units(o, units, "units of the coefficients in tables and in draws.csv");
}

Matrix Fitted::transform(const Table& /*rows*/, const std::string& /*where*/) const {
  throw Misuse("a fit of this kind has no components");
}

FittedDraws Fitted::draws(Index /*count*/, std::uint64_t /*seed*/, Units /*units*/) const {
  throw Misuse("a fit of this kind has no draws");
}

}  // namespace fisherman
