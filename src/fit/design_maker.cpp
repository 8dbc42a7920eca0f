// How a plan is made of settings and data.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "column_scale.hpp"
#include "design_blocks.hpp"
#include "design_columns.hpp"
#include "design_rows.hpp"
#include "design_words.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/design.hpp"
#include "fisherman/fit/nearest.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {

/// Makes a plan of settings and data.
class DesignMaker {
 public:
  DesignMaker(const Columns& data, const DesignSettings& settings, const std::string& where)
      : data_(data), by_name_(data), settings_(settings), where_(where), names_(data.names()) {}

  DesignPlan plan(const std::string& outcome) {
    assign_parts(outcome);
    take_references();
    take_groups();
    take_terms();
    learn_levels_and_means();
    learn_scales();
    tell();
    return std::move(plan_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... what) const {
    throw FileError(sentence(where_, ": ", what...));
  }

  const Column& column(const std::string& name, const std::string& option) const;
  void assign_parts(const std::string& outcome);
  void take_references();
  void take_terms();
  void take_groups();
  Index source_of(const std::string& name, const std::string& option);
  DesignPlan::Term term_of(const NamedTerm& named, const std::string& option);
  std::vector<NamedTerm> named_terms() const;
  void require_category(const Column& column) const;
  std::vector<std::string> levels_in(const Column& column, const std::vector<Index>& kept) const;
  void learn_levels_and_means();
  void leave_out_single_levels();
  void learn_stored_means(const RowMaker& maker, const Vector& weights);
  void learn_scales();
  void learn_stored_scales(const RowMaker& maker);
  void take_scale(const ColumnScale& column, const std::string& name, double& shift, double& scale);
  void tell();

  const Columns& data_;
  ColumnsByName by_name_;
  const DesignSettings& settings_;
  const std::string& where_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> reference_;  // by column, as levels are spelled
  std::set<std::string> taken_;  // columns that are no terms unless somebody says so
  std::map<std::string, Index> source_by_name_;
  Index dropped_ = 0;
  DesignPlan plan_;
};

const Column& DesignMaker::column(const std::string& name, const std::string& option) const {
  const Column* const found = by_name_.find(name);
  if (found == nullptr)
    fail("has no column ", shown(name), ", which ", option, " names",
         option == "--terms" && name.find_first_of("+*~") != std::string::npos
             ? "; terms have commas between them, and a product is a:b"
             : did_you_mean(name, names_));
  return *found;
}

void DesignMaker::assign_parts(const std::string& outcome) {
  if (outcome.empty()) fail("there is no outcome; --label names its column");
  const Column& y = column(outcome, "--label");
  if (!y.refusal.empty()) throw FileError(y.refusal);
  if (sum_of_ranks(y.missing()) == data_.rows_here().all)
    fail("the outcome, ", shown(outcome), ", has no value at all");
  plan_.outcome_ = outcome;
  plan_.missing_ = settings_.missing;
  plan_.intercept = settings_.intercept;
  taken_.insert(outcome);
  const auto take = [&](std::string& to, const std::string& name, const std::string& option) {
    if (name.empty()) return;
    column(name, option);
    require(name != outcome, option, " names ", shown(name), ", which is the outcome");
    to = name;
    taken_.insert(name);
  };
  take(plan_.weights_, settings_.weights, "--weights");
  take(plan_.offset_, settings_.offset, "--offset");
  take(plan_.trials_, settings_.trials, "--trials");
}

void DesignMaker::take_references() {
  for (const auto& [name, level] : parse_references(settings_.reference)) {
    column(name, "--reference");
    if (name == plan_.outcome_)
      plan_.outcome_reference = level_text(level);
    else
      reference_[name] = level_text(level);
  }
}

void DesignMaker::take_groups() {
  std::vector<NamedGroup> groups = parse_groups(settings_.group, names_);
  for (const NamedGroup& named : groups) {
    column(named.column, "--group");
    require(named.column != plan_.outcome_, "--group names ", shown(named.column),
            ", which is the outcome");
    for (const auto& other : plan_.groups_)
      require(other.name != named.column, "--group names ", shown(named.column),
              " twice; all its slopes belong behind one colon");
    if (data_.stored) fail("groups (--group) need rows in memory, but these stay in their file");
    plan_.groups_.push_back({named.column, {}, {}});
    taken_.insert(named.column);
  }
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const NamedTerm& slope : groups[g].slopes)
      plan_.groups_[g].slopes.push_back(term_of(slope, "--group"));
}

Index DesignMaker::source_of(const std::string& name, const std::string& option) {
  if (const auto found = source_by_name_.find(name); found != source_by_name_.end())
    return found->second;
  const Column& from = column(name, option);
  require(name != plan_.outcome_, option, " names ", shown(name), ", which is the outcome");
  const bool by_level = from.is_words() || reference_.count(name) > 0;
  if (by_level && data_.stored)
    fail("levels (--reference names column ", shown(name),
         ") need rows in memory, but these stay in their file");
  if (sum_of_ranks(from.missing()) == data_.rows_here().all)
    fail("column ", shown(name), " has no value at all; leave it out (--drop)");
  if (!from.refusal.empty()) throw FileError(from.refusal);
  if (by_level) require_category(from);
  plan_.sources_.push_back({.name = name, .levels = {}});
  if (by_level) plan_.sources_.back().levels = {""};  // until they are known
  return source_by_name_[name] = Index(plan_.sources_.size()) - 1;
}

/// Words that are an id or a text would be a column each.
void DesignMaker::require_category(const Column& from) const {
  constexpr Index most = 1000, few = 10;
  const std::set<std::string> numbers = from.is_words() ? std::set<std::string>() : [&] {
    std::set<std::string> here, out;
    for (Index i = 0; i < data_.rows && Index(here.size()) <= most; ++i) here.insert(from.text(i));
    for (const auto& some : from_each_rank(std::vector<std::string>(here.begin(), here.end())))
      out.insert(some.begin(), some.end());
    return out;
  }();
  const Index count = from.is_words() ? Index(from.levels.size()) : Index(numbers.size());
  const Index values = data_.rows_here().all - sum_of_ranks(from.missing());
  if (count <= few) return;
  const auto is_number = [](const std::string& level) { return parse_number(level).has_value(); };
  const Index of_numbers = std::count_if(from.levels.begin(), from.levels.end(), is_number);
  if (2 * of_numbers > count) {  // a few words among numbers: a slip, and no category
    together([&] {
      const auto odd = std::int32_t(from.levels.size() - 1);
      const auto found = std::find(from.codes.begin(), from.codes.end(), odd);
      if (found == from.codes.end()) return;  // the rank that has it says so
      throw FileError(sentence(
          data_.place(found - from.codes.begin(), where_), ": column ", shown(from.name),
          " would be of numbers but for ", shown(from.levels.back()),
          "; if that stands for a missing value, write NA, and if not, leave the column out "
          "(--drop)"));
    });
  }
  if (count <= most && 5 * count <= 4 * values) return;
  fail("column ", shown(from.name), " has ", count, from.is_words() ? "" : " or more",
       " different values in ", values,
       " rows, so it is no category; leave it out (--drop), or name it as a group (--group)");
}

DesignPlan::Term DesignMaker::term_of(const NamedTerm& named, const std::string& option) {
  DesignPlan::Term term;
  for (const NamedFactor& factor : named) {
    const Index source = source_of(factor.column, option);
    require(factor.power == 1 || !plan_.sources_[std::size_t(source)].is_words(), option,
            " has a power of ", shown(factor.column), ", but that is a column of words");
    for (const auto& other : term)
      require(other.source != source, option, " has a product with ", shown(factor.column),
              " in it twice; powers are written as ", factor.column, "^2");
    term.push_back({source, factor.power});
  }
  return term;
}

std::vector<NamedTerm> DesignMaker::named_terms() const {
  const bool all = trim(settings_.terms).empty();
  std::vector<NamedTerm> given, out;
  if (!all) given = parse_terms(settings_.terms, names_);
  const auto is_word = [&](const NamedTerm& term, const char* word) {
    return term.size() == 1 && term[0].power == 1 && term[0].column == word &&
           data_.find(word) == nullptr;
  };
  if (given.size() == 1 && is_word(given[0], "1")) return out;
  std::set<std::string> alone;
  for (const NamedTerm& term : given)
    if (term.size() == 1 && term[0].power == 1) alone.insert(term[0].column);
  const auto add_others = [&] {
    for (const std::string& name : names_)
      if (taken_.count(name) == 0 && alone.count(name) == 0) out.push_back({{name}});
  };
  if (all) add_others();
  for (const NamedTerm& term : given)
    if (is_word(term, "."))
      add_others();
    else
      out.push_back(term);
  return out;
}

void DesignMaker::take_terms() {
  std::set<std::vector<std::pair<Index, Index>>> known;
  for (const NamedTerm& named : named_terms()) {
    plan_.terms_.push_back(term_of(named, "--terms"));
    std::vector<std::pair<Index, Index>> key;
    std::string text;
    for (const auto& factor : plan_.terms_.back()) key.emplace_back(factor.source, factor.power);
    for (const NamedFactor& factor : named)
      text += sentence(text.empty() ? "" : ":", factor.column,
                       factor.power > 1 ? sentence("^", factor.power) : "");
    std::sort(key.begin(), key.end());
    require(known.insert(key).second, "--terms has ", shown(text), " twice");
  }
  if (plan_.terms_.empty() && !plan_.intercept && plan_.groups_.empty())
    fail("there is no term, no intercept and no group, so there is nothing to fit");
}

std::vector<std::string> DesignMaker::levels_in(const Column& from,
                                                const std::vector<Index>& kept) const {
  std::vector<std::string> levels;
  Index missing = 0;
  if (from.is_words()) {
    const Column left = from.at(kept);
    std::set<std::string> found;
    for (const auto& some : from_each_rank(left.levels)) found.insert(some.begin(), some.end());
    for (const std::string& level : from.levels)
      if (found.count(level) > 0) levels.push_back(level);
    missing = left.missing();
  } else {
    std::set<double> here, numbers;
    for (const Index i : kept)
      if (from.is_missing(i))
        ++missing;
      else
        here.insert(from.numbers(i) + 0.0);
    for (const auto& some : from_each_rank(std::vector<double>(here.begin(), here.end())))
      numbers.insert(some.begin(), some.end());
    for (const double number : numbers) levels.push_back(number_text(number));
  }
  if (sum_of_ranks(missing) > 0 &&
      std::find(levels.begin(), levels.end(), missing_level) == levels.end())
    levels.emplace_back(missing_level);
  return levels;
}

void DesignMaker::learn_levels_and_means() {
  const RowMaker maker(plan_, data_, where_, RowsFor::fit);
  dropped_ = maker.dropped();
  const Vector weights = plan_.weights_.empty() ? Vector::Ones(maker.rows()) : maker.weights();
  if (data_.stored) return learn_stored_means(maker, weights);
  for (auto& source : plan_.sources_) {
    const Column& from = column(source.name, "--terms");
    if (source.is_words()) {
      source.levels = levels_in(from, maker.kept());
      const auto wish = reference_.find(source.name);
      if (wish == reference_.end()) continue;
      const auto found = std::find(source.levels.begin(), source.levels.end(), wish->second);
      if (found == source.levels.end())
        fail("column ", shown(source.name), " has no level ", shown(wish->second),
             ", which --reference names", did_you_mean(wish->second, source.levels));
      source.reference = found - source.levels.begin();
    } else {
      const Vector numbers = maker.numbers(source.name);
      const auto there = numbers.array().isNaN() == false;
      const Index count = sum_of_ranks(there.count());
      const Vector share = there.select(weights.array(), 0.0);
      const double all = maker.sum<double>(
          [&](Index first, Index some) { return Vector(share.segment(first, some)).sum(); });
      if (count == 0)
        fail("column ", shown(source.name), " has no value in the rows that are left");
      if (!(all > 0.0))
        fail("column ", shown(source.name), " has no value in a row with a positive weight");
      const Vector values = there.select(numbers.array(), 0.0);
      const auto mean_of = [&](const Vector& of, double divisor) {
        return maker.sum<double>([&](Index first, Index some) {
          return Vector(share.segment(first, some).cwiseProduct(of.segment(first, some))).sum();
        }) / divisor;
      };
      source.mean = mean_of(values, all);
      if (!std::isfinite(source.mean))  // the sum went beyond the range of a double
        source.mean = mean_of(values / all, 1.0);
      const Index missing = sum_of_ranks(numbers.size()) - count;
      source.indicator = missing > 0 && plan_.missing_ == MissingValues::indicator;
      if (missing > 0)
        plan_.notes.push_back(
            sentence("column ", shown(source.name), ": ", missing,
                     missing == 1 ? " missing value takes" : " missing values take", " the mean, ",
                     source.mean));
    }
  }
  for (const auto& [name, level] : reference_) {
    const std::string& wanted = name;
    require(std::any_of(plan_.sources_.begin(), plan_.sources_.end(),
                        [&](const auto& source) { return source.name == wanted; }),
            "--reference names ", shown(name), ", which is in no term");
  }
  for (auto& group : plan_.groups_) {
    group.levels = levels_in(column(group.name, "--group"), maker.kept());
    if (group.levels.size() < 2)
      fail("column ", shown(group.name), " has one value only, so it makes no groups");
  }
  leave_out_single_levels();
}

/// All of them in one pass.
void DesignMaker::learn_stored_means(const RowMaker& maker, const Vector& weights) {
  std::vector<Index> places;
  for (const auto& source : plan_.sources_) places.push_back(column(source.name, "--terms").stored);
  const double all = maker.sum<double>(
      [&](Index first, Index some) { return Vector(weights.segment(first, some)).sum(); });
  const auto sums = maker.sum<Vector>([&](Index first, Index some) -> Vector {
    const Matrix x = data_.stored->block(maker.in_file(first), some);
    Vector out(Index(places.size()));
    for (std::size_t k = 0; k < places.size(); ++k)
      out(Index(k)) = Vector(weights.segment(first, some).cwiseProduct(x.col(places[k]))).sum();
    return out;
  });
  for (std::size_t k = 0; k < places.size(); ++k) {
    auto& source = plan_.sources_[k];
    source.mean = sums(Index(k)) / all;
    require(std::isfinite(source.mean), "the numbers of column ", shown(source.name),
            " add up to more than a double can hold");
  }
}

/// Words that are the same in all rows tell nothing.
void DesignMaker::leave_out_single_levels() {
  const auto is_empty = [&](const DesignPlan::Term& term) {
    return columns_of_term(term, plan_.sources_) == 0.0;
  };
  const auto clean = [&](std::vector<DesignPlan::Term>& terms) {
    terms.erase(std::remove_if(terms.begin(), terms.end(), is_empty), terms.end());
  };
  clean(plan_.terms_);
  for (auto& group : plan_.groups_) clean(group.slopes);
  std::vector<Index> to;
  std::vector<DesignPlan::Source> sources;
  for (const auto& source : plan_.sources_) {
    if (source.columns() == 0)
      plan_.warnings.push_back(sentence("column ", shown(source.name), " is ",
                                        shown(source.levels[0]),
                                        " in all rows, so it is left out"));
    to.push_back(Index(sources.size()));
    if (source.columns() > 0) sources.push_back(source);
  }
  plan_.sources_ = std::move(sources);
  const auto renumber = [&](std::vector<DesignPlan::Term>& terms) {
    for (auto& term : terms)
      for (auto& factor : term) factor.source = to[std::size_t(factor.source)];
  };
  renumber(plan_.terms_);
  for (auto& group : plan_.groups_) renumber(group.slopes);
}

void DesignMaker::learn_scales() {
  const RowMaker maker(plan_, data_, where_, RowsFor::fit);
  double count = 1.0;
  for (const auto& term : plan_.terms_) count += columns_of_term(term, plan_.sources_);
  for (const auto& group : plan_.groups_) {
    double runs = 1.0;
    for (const auto& slope : group.slopes) runs += columns_of_term(slope, plan_.sources_);
    count += runs * double(group.levels.size());
  }
  if (!data_.stored) require_room_for_design(double(maker.rows()), count, data_);
  plan_.name_coefficients();
  if (plan_.names.empty()) fail("no term is left, and there is no intercept and no group");
  std::set<std::string> known;
  for (const std::string& name : plan_.names)
    require(known.insert(name).second, "two coefficients would be called ", shown(name),
            "; name a column otherwise, or leave one out");
  plan_.shift = Vector::Zero(plan_.terms);
  plan_.scale = Vector::Ones(plan_.terms);
  if (data_.stored) return learn_stored_scales(maker);
  const std::vector<ReadySource> ready = maker.ready_sources();
  const Vector weights = plan_.weights_.empty() ? Vector() : maker.weights();
  const auto learn = [&](const Vector& raw, const std::string& name, double& shift, double& scale) {
    if (!settings_.no_standardize)
      take_scale(maker.scale_of(raw, weights, name), name, shift, scale);
  };
  Index at = 0;
  const auto learn_next = [&](const Vector& raw) {
    learn(raw, plan_.names[std::size_t(at)], plan_.shift(at), plan_.scale(at));
    ++at;
  };
  for (const auto& term : plan_.terms_)
    each_column(term, plan_.sources_, [&](const TermColumn& column) {
      learn_next(column_values(term, column, ready, maker.rows()));
    });
  for (std::size_t k = 0; k < plan_.sources_.size(); ++k)
    if (plan_.sources_[k].indicator) learn_next(ready[k].missing);
  std::size_t run = 0;
  for (const auto& group : plan_.groups_) {
    ++run;
    for (const auto& slope : group.slopes)
      each_column(slope, plan_.sources_, [&](const TermColumn& column) {
        DesignPlan::Effects& effect = plan_.effects[run++];
        learn(column_values(slope, column, ready, maker.rows()), effect.name, effect.shift,
              effect.scale);
      });
  }
}

void DesignMaker::learn_stored_scales(const RowMaker& maker) {
  if (settings_.no_standardize) return;
  const TermBlocks terms(plan_, data_);
  const std::vector<std::string> names(plan_.names.begin(), plan_.names.begin() + plan_.terms);
  const Vector weights = plan_.weights_.empty() ? Vector() : maker.weights();
  const std::vector<ColumnScale> scales = maker.scales_of(
      names, weights,
      [&](Index first, Index count) { return terms.block(maker.in_file(first), count); });
  for (Index j = 0; j < plan_.terms; ++j)
    take_scale(scales[std::size_t(j)], names[std::size_t(j)], plan_.shift(j), plan_.scale(j));
}

void DesignMaker::take_scale(const ColumnScale& column, const std::string& name, double& shift,
                             double& scale) {
  shift = column.mean;
  if (!column.constant())
    scale = column.sd;
  else
    plan_.warnings.push_back(
        "column '" + name +
        "' is constant: standardised it is zero, and its coefficient stays at the prior");
}

void DesignMaker::tell() {
  for (const auto& source : plan_.sources_)
    if (source.is_words())
      plan_.notes.push_back(sentence("column ", shown(source.name), ": levels are compared with ",
                                     shown(source.levels[std::size_t(source.reference)])));
  if (dropped_ > 0)
    plan_.notes.push_back(sentence(dropped_, " of ", data_.rows_here().all,
                                   dropped_ == 1 ? " rows is left out: it has a missing value"
                                                 : " rows are left out: they have missing values"));
}

DesignPlan DesignPlan::of(const Columns& data, const std::string& outcome,
                          const DesignSettings& settings, const std::string& where) {
  return DesignMaker(data, settings, where).plan(outcome);
}

}  // namespace fisherman
