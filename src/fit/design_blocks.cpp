#include "design_blocks.hpp"

#include "design_columns.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {

TermBlocks::TermBlocks(const DesignPlan& plan, const Columns& data)
    : plan_(plan), stored_(data.stored) {
  const ColumnsByName by_name(data);
  for (const DesignPlan::Source& source : plan.sources_) {
    const Column* const from = by_name.find(source.name);
    require(from != nullptr && from->is_stored() && !source.is_words(), "the column ",
            shown(source.name), " is none of the numbers that stay in the file");
    places_.push_back(from->stored);
  }
}

Matrix TermBlocks::terms(const Matrix& file_rows) const {
  const Index n = file_rows.rows();
  std::vector<ReadySource> ready(places_.size());
  for (std::size_t k = 0; k < places_.size(); ++k) ready[k].numbers = file_rows.col(places_[k]);
  Matrix out(n, columns());
  for (std::size_t t = 0; t < plan_.terms_.size(); ++t)
    out.col(Index(t)) =
        column_values(plan_.terms_[t], TermColumn(plan_.terms_[t].size(), -1), ready, n);
  return out;
}

DesignBlocks::DesignBlocks(const DesignPlan& plan, const Columns& data, std::string where)
    : terms_(plan, data),
      shift_(plan.shift),
      scale_(plan.scale),
      intercept_(plan.intercept),
      names_(plan.names),
      where_(std::move(where)) {}

Matrix DesignBlocks::standardised(Matrix x) const {
  const Index terms = x.cols();
  for (Index j = 0; j < terms; ++j) {
    x.col(j) = (x.col(j).array() - shift_(j)) / scale_(j);
    if (!x.col(j).allFinite())
      throw FileError(sentence(where_, ": ", shown(names_[std::size_t(j)]),
                               " goes beyond the range of a double"));
  }
  if (!intercept_) return x;
  x.conservativeResize(Eigen::NoChange, terms + 1);
  x.col(terms).setOnes();
  return x;
}

}  // namespace fisherman
