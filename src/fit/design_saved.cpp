// A plan as numbers and words, and back.
#include <algorithm>
#include <cmath>
#include <set>

#include "design_columns.hpp"
#include "design_words.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/design.hpp"

namespace fisherman {
namespace {

std::vector<Fields> saved_terms(const std::vector<DesignPlan::Term>& terms) {
  std::vector<Fields> out;
  for (const DesignPlan::Term& term : terms) {
    std::vector<Index> columns, powers;
    for (const auto& factor : term) {
      columns.push_back(factor.source);
      powers.push_back(factor.power);
    }
    out.push_back(Fields().set("columns", columns).set("powers", powers));
  }
  return out;
}

std::vector<DesignPlan::Term> loaded_terms(const Fields& fields, const std::string& name,
                                           const std::vector<DesignPlan::Source>& sources) {
  std::vector<DesignPlan::Term> out;
  for (const Fields& one : fields.need_list(name)) {
    const std::vector<Index> columns = one.need_counts("columns"),
                             powers = one.need_counts("powers");
    require(!columns.empty() && columns.size() == powers.size(), "'", name,
            "' has a term whose columns and powers do not go together");
    DesignPlan::Term& term = out.emplace_back();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      require(columns[k] >= 0 && columns[k] < Index(sources.size()), "'", name,
              "' has a term of column ", columns[k], ", but there are ", sources.size());
      require(powers[k] >= 1 && powers[k] <= 9 &&
                  (powers[k] == 1 || !sources[std::size_t(columns[k])].is_words()),
              "'", name, "' has a term with power ", powers[k]);
      term.push_back({columns[k], powers[k]});
    }
  }
  return out;
}

std::vector<std::string> loaded_levels(const Fields& fields, std::size_t least) {
  std::vector<std::string> levels = fields.need_texts("levels");
  require(levels.empty() || levels.size() >= least, "'levels' has one level only");
  require(std::set<std::string>(levels.begin(), levels.end()).size() == levels.size(),
          "'levels' has a level twice");
  return levels;
}

double loaded_number(const Fields& fields, const std::string& name) {
  const double number = fields.number(name);
  require(std::isfinite(number), "'", name, "' is missing, or no finite number");
  return number;
}

/// Means and standard deviations of columns.
void load_scales(const Fields& fields, double count, Vector& shift, Vector& scale) {
  shift = fields.need_vector("shift");
  scale = fields.need_vector("scale");
  require(double(shift.size()) == count && double(scale.size()) == count,
          "'shift' and 'scale' have ", shift.size(), " and ", scale.size(),
          " numbers, but there are ", count, " columns");
  require(shift.allFinite() && scale.allFinite() && (scale.array() > 0.0).all(),
          "'shift' or 'scale' has a number that no column has");
}

double columns_of_terms(const std::vector<DesignPlan::Term>& terms,
                        const std::vector<DesignPlan::Source>& sources) {
  double count = 0.0;
  for (const DesignPlan::Term& term : terms) count += columns_of_term(term, sources);
  return count;
}

}  // namespace

Fields DesignPlan::saved() const {
  Fields out;
  out.set("outcome", outcome_).set("offset", offset_).set("weights", weights_);
  out.set("trials", trials_).set("missing", name_of(missing_, missing_words()));
  out.set("intercept", intercept);
  std::vector<Fields> columns, groups;
  for (const Source& source : sources_)
    columns.push_back(Fields()
                          .set("name", source.name)
                          .set("levels", source.levels)
                          .set("reference", std::int64_t(source.reference))
                          .set("mean", source.mean)
                          .set("indicator", source.indicator));
  out.set("columns", columns).set("terms", saved_terms(terms_));
  out.set("shift", shift).set("scale", scale);
  for (std::size_t g = 0, run = 0; g < groups_.size(); ++g) {
    std::vector<double> shifts, scales;
    for (++run; run < effects.size() && effects[run].intercepts != Index(run); ++run) {
      shifts.push_back(effects[run].shift);
      scales.push_back(effects[run].scale);
    }
    const auto as_vector = [](const std::vector<double>& v) {
      return Vector(Eigen::Map<const Vector>(v.data(), Index(v.size())));
    };
    groups.push_back(Fields()
                         .set("name", groups_[g].name)
                         .set("levels", groups_[g].levels)
                         .set("slopes", saved_terms(groups_[g].slopes))
                         .set("shift", as_vector(shifts))
                         .set("scale", as_vector(scales)));
  }
  return out.set("groups", groups).set("warnings", warnings).set("notes", notes);
}

DesignPlan DesignPlan::loaded(const Fields& fields) {
  DesignPlan plan;
  plan.outcome_ = fields.need_text("outcome");
  plan.offset_ = fields.need_text("offset");
  plan.weights_ = fields.need_text("weights");
  plan.trials_ = fields.need_text("trials");
  const Words<MissingValues> words = missing_words();
  const std::string missing = fields.need_text("missing");
  const auto word = std::find_if(words.begin(), words.end(),
                                 [&](const auto& one) { return one.name == missing; });
  require(word != words.end(), "'missing' is '", missing, "', which means nothing");
  plan.missing_ = word->value;
  plan.intercept = fields.need_flag("intercept");
  for (const Fields& one : fields.need_list("columns")) {
    Source& source = plan.sources_.emplace_back();
    source.name = one.need_text("name");
    source.levels = loaded_levels(one, 2);
    source.reference = one.need_count("reference");
    require(
        source.reference >= 0 && source.reference < std::max<Index>(1, Index(source.levels.size())),
        "'reference' is ", source.reference, ", which is no level");
    source.mean = loaded_number(one, "mean");
    source.indicator = one.need_flag("indicator");
    require(!source.indicator || !source.is_words(), "'indicator' is for numbers");
  }
  plan.terms_ = loaded_terms(fields, "terms", plan.sources_);
  double count = columns_of_terms(plan.terms_, plan.sources_);
  for (const Source& source : plan.sources_) count += source.indicator ? 1.0 : 0.0;
  load_scales(fields, count, plan.shift, plan.scale);  // before that many names are made
  std::vector<Vector> shifts, scales;
  for (const Fields& one : fields.need_list("groups")) {
    Group& group = plan.groups_.emplace_back();
    group.name = one.need_text("name");
    group.levels = loaded_levels(one, 2);
    require(!group.levels.empty(), "a group has no levels");
    group.slopes = loaded_terms(one, "slopes", plan.sources_);
    load_scales(one, columns_of_terms(group.slopes, plan.sources_), shifts.emplace_back(),
                scales.emplace_back());
  }
  plan.name_coefficients();
  require(!plan.names.empty(), "there is no coefficient");
  for (std::size_t g = 0, run = 0; g < plan.groups_.size(); ++g) {
    ++run;
    for (Index k = 0; k < shifts[g].size(); ++k, ++run) {
      plan.effects[run].shift = shifts[g](k);
      plan.effects[run].scale = scales[g](k);
    }
  }
  plan.warnings = fields.need_texts("warnings");
  plan.notes = fields.need_texts("notes");
  return plan;
}

}  // namespace fisherman
