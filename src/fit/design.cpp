#include "fisherman/fit/design.hpp"

#include <set>

#include "design_columns.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman {

void DesignPlan::name_coefficients() {
  names.clear();
  effects.clear();
  for (const Term& term : terms_)
    each_column(term, sources_, [&](const TermColumn& column) {
      names.push_back(column_name(term, column, sources_));
    });
  for (const Source& source : sources_)
    if (source.indicator) names.push_back(source.name + "=" + missing_level);
  terms = Index(names.size());
  if (intercept) names.emplace_back("(intercept)");
  for (const Group& group : groups_) {
    const Index intercepts = Index(effects.size());
    const auto add = [&](const std::string& slope) {
      effects.push_back({.name = group.name + slope,
                         .first = Index(names.size()),
                         .count = Index(group.levels.size()),
                         .intercepts = intercepts});
      for (const std::string& level : group.levels)
        names.push_back(group.name + "=" + level + slope);
    };
    add("");
    for (const Term& slope : group.slopes)
      each_column(slope, sources_, [&](const TermColumn& column) {
        add(sentence(":", column_name(slope, column, sources_)));
      });
  }
}

std::vector<std::string> DesignPlan::needed() const {
  std::set<std::string> known;
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && known.insert(name).second) out.push_back(name);
  };
  for (const Source& source : sources_) add(source.name);
  for (const Group& group : groups_) add(group.name);
  add(offset_);
  return out;
}

std::vector<std::string> DesignPlan::welcome() const {
  return trials_.empty() ? std::vector<std::string>() : std::vector<std::string>{trials_};
}

Matrix DesignPlan::in_own_units(const Matrix& betas) const {
  require_size(betas, Index(names.size()), "the coefficients of a fit");
  Matrix out(betas.rows() + (implies_constant() ? 1 : 0), betas.cols());
  out.topRows(betas.rows()) = betas;
  out.topRows(terms).array().colwise() /= scale.array();
  const Matrix shifts = shift.transpose() * out.topRows(terms);
  if (intercept) out.row(terms) -= shifts;
  if (implies_constant()) out.bottomRows(1) = -shifts;
  for (std::size_t k = 0; k < effects.size(); ++k) {
    const Effects& slopes = effects[k];
    if (slopes.intercepts == Index(k)) continue;
    auto own = out.middleRows(slopes.first, slopes.count);
    own /= slopes.scale;
    out.middleRows(effects[std::size_t(slopes.intercepts)].first, slopes.count) -=
        slopes.shift * own;
  }
  return out;
}

GaussianPoint DesignPlan::in_own_units(const GaussianPoint& q) const {
  // With A the linear map, AΣAᵀ = A(AΣ)ᵀ.
  const Matrix half = in_own_units(q.covariance);
  const Matrix covariance = in_own_units(Matrix(half.transpose()));
  return {in_own_units(Matrix(q.mean)), 0.5 * (covariance + covariance.transpose())};
}

std::vector<std::string> DesignPlan::own_names() const {
  std::vector<std::string> out = names;
  if (implies_constant()) out.emplace_back("(constant)");
  return out;
}

}  // namespace fisherman
