#include "design_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

#include "design_blocks.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {

template <class... Parts>
void RowMaker::fail_in_row(Index row, const std::string& column, const Parts&... what) const {
  throw FileError(sentence(data_.place(row, where_), ", column ", shown(column), ": ", what...));
}

RowMaker::RowMaker(const DesignPlan& plan, const Columns& data, const std::string& where,
                   RowsFor purpose)
    : plan_(plan), data_(data), by_name_(data), where_(where), purpose_(purpose) {
  if (purpose == RowsFor::fit) {
    keep_all_but_missing();
  } else {
    kept_.resize(std::size_t(data.rows));
    std::iota(kept_.begin(), kept_.end(), Index(0));
    require_values();
  }
}

bool RowMaker::fills() const {
  return plan_.missing_ == MissingValues::mean || plan_.missing_ == MissingValues::indicator;
}

const Column& RowMaker::column(const std::string& name) const {
  const Column* const found = by_name_.find(name);
  if (found == nullptr)
    throw FileError(
        sentence(where_, ": has no column ", shown(name), ", which the fit was made with"));
  return *found;
}

/// Columns in which nothing may be missing.
std::vector<std::string> RowMaker::strict_columns() const {
  std::set<std::string> known;
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && known.insert(name).second) out.push_back(name);
  };
  if (!fills()) {
    for (const auto& source : plan_.sources_) add(source.name);
    for (const auto& group : plan_.groups_) add(group.name);
  }
  add(plan_.offset_);
  if (purpose_ == RowsFor::prediction) return out;
  for (const std::string& name : {plan_.weights_, plan_.trials_, plan_.outcome_}) add(name);
  return out;
}

void RowMaker::keep_all_but_missing() {
  std::vector<bool> lacks(std::size_t(data_.rows), false);
  const std::vector<std::string> names = strict_columns();
  std::vector<Index> counts;  // of missing values, and of rows with one
  for (const std::string& name : names) {
    const Column& from = column(name);
    Index& count = counts.emplace_back(0);
    for (Index i = 0; i < data_.rows; ++i)
      if (from.is_missing(i)) {
        lacks[std::size_t(i)] = true;
        ++count;
      }
  }
  for (Index i = 0; i < data_.rows; ++i)
    if (!lacks[std::size_t(i)]) kept_.push_back(i);
  counts.push_back(data_.rows - rows());
  std::vector<Index> all(counts.size(), 0);
  for (const std::vector<Index>& of_rank : from_each_rank(counts))
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += of_rank[k];
  dropped_ = all.back();
  std::string list;
  std::size_t listed = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    constexpr std::size_t most = 6;
    if (all[k] > 0 && ++listed <= most)
      list += sentence(list.empty() ? "" : ", ", shown(names[k]), ": ", all[k]);
    else if (all[k] > 0 && listed == most + 1)
      list += ", …";
  }
  const Index of_all = data_.rows_here().all;
  if (dropped() > 0 && plan_.missing_ != MissingValues::drop)
    together([&] {
      const auto first = std::find(lacks.begin(), lacks.end(), true);
      if (first == lacks.end()) return;  // the rank that has such a row says so
      throw FileError(sentence(
          data_.place(first - lacks.begin(), where_), ": a value is missing, as in ", dropped(),
          " of ", of_all, " rows (", list, "); --missing drop leaves ",
          dropped() == 1 ? "that row" : "those rows", " out",
          fills() ? "" : ", and --missing mean or indicator fills in all but the outcome"));
    });
  if (dropped() > 0 && stored())
    throw FileError(sentence(where_, ": rows that stay in their file cannot be left out, but ",
                             dropped(), " of them lack a value elsewhere (", list, ")"));
  if (dropped() == of_all)
    throw FileError(sentence(where_, ": every row has a missing value (", list,
                             "), so that --missing drop leaves none"));
}

void RowMaker::require_values() const {
  for (const std::string& name : strict_columns()) {
    const Column& from = column(name);
    for (Index i = 0; i < data_.rows; ++i)
      if (from.is_missing(i))
        fail_in_row(i, name, "the value is missing",
                    name == plan_.offset_ ? ""
                                          : ", and the fit was made without --missing mean or "
                                            "indicator, which would fill it in");
  }
}

namespace {

struct ScaleSums {
  double weight = 0.0;
  Vector value, largest;
  void operator+=(const ScaleSums& other) {
    weight += other.weight;
    value += other.value;
    largest = largest.cwiseMax(other.largest);
  }
  auto fields() { return std::tie(weight, value, largest); }
};

}  // namespace

std::vector<ColumnScale> RowMaker::scales_of(
    const std::vector<std::string>& names, const Vector& weights,
    const std::function<Matrix(Index, Index)>& block) const {
  const auto columns = Index(names.size());
  const auto weighted = [&](Index first, Index count, const auto& of) {
    ScaleSums out{0.0, Vector::Zero(columns), Vector::Zero(columns)};
    if (count == 0) return out;
    const Matrix x = block(first, count);
    const Eigen::ArrayXd w =
        weights.size() > 0 ? Eigen::ArrayXd(weights.segment(first, count)) : Eigen::ArrayXd();
    out.weight = w.size() > 0 ? w.sum() : double(count);
    for (Index j = 0; j < columns; ++j) {
      const Eigen::ArrayXd column = x.col(j);
      out.largest(j) = column.abs().maxCoeff();
      out.value(j) = w.size() > 0 ? (w * of(column, j)).sum() : of(column, j).sum();
    }
    return out;
  };
  const auto all = sum<ScaleSums>([&](Index first, Index count) {
    return weighted(first, count,
                    [](const Eigen::ArrayXd& x, Index) -> const Eigen::ArrayXd& { return x; });
  });
  const Vector mean = all.value / all.weight;
  const auto squares = sum<ScaleSums>([&](Index first, Index count) {
    return weighted(first, count, [&](const Eigen::ArrayXd& x, Index j) -> Eigen::ArrayXd {
      return (x - mean(j)).square();
    });
  });
  std::vector<ColumnScale> out;
  for (Index j = 0; j < columns; ++j) {
    out.push_back({mean(j), std::sqrt(squares.value(j) / all.weight), all.largest(j)});
    require_standardisable(out.back(), names[std::size_t(j)]);
  }
  return out;
}

ColumnScale RowMaker::scale_of(const Vector& values, const Vector& weights,
                               const std::string& name) const {
  return scales_of({name}, weights, [&](Index first, Index count) -> Matrix {
    return values.segment(first, count);
  })[0];
}

Vector RowMaker::numbers(const std::string& name) const {
  return together([&] { return numbers_here(name); });
}

Vector RowMaker::numbers_here(const std::string& name) const {
  const Column& from = column(name);
  if (from.is_stored()) {
    Vector out(rows());
    for_row_groups(data_.rows_here(), [&](Index first, Index count) {
      out.segment(data_.rows_here().at(first), count) =
          data_.stored->block(first, count).col(from.stored);
    });
    return out;
  }
  if (from.is_words()) {
    if (!from.refusal.empty()) throw FileError(from.refusal);
    for (const Index i : kept_)
      if (const std::int32_t code = from.codes[std::size_t(i)];
          code >= 0 && !parse_number(from.levels[std::size_t(code)]))
        fail_in_row(i, name, number_trouble(from.levels[std::size_t(code)]));
    throw FileError(sentence(where_, ": column ", shown(name), " is of words, not of numbers"));
  }
  Vector out = from.numbers(kept_);
  for (Index i = 0; i < rows(); ++i)
    if (std::isinf(out(i))) fail_in_row(kept_[std::size_t(i)], name, "the value is not finite");
  return out;
}

std::vector<std::int32_t> RowMaker::places(const Column& from,
                                           const std::vector<std::string>& levels) const {
  std::unordered_map<std::string, std::int32_t> place;
  for (std::size_t k = 0; k < levels.size(); ++k) place.emplace(levels[k], std::int32_t(k));
  const auto of = [&](const std::string& level) {
    const auto found = place.find(level);
    return found == place.end() ? -1 : found->second;
  };
  const std::int32_t missing = of(missing_level);
  std::vector<std::int32_t> to;
  for (const std::string& level : from.levels) to.push_back(of(level));
  std::vector<std::int32_t> out;
  out.reserve(kept_.size());
  for (const Index i : kept_)
    if (from.is_missing(i))
      out.push_back(missing);
    else
      out.push_back(from.is_words() ? to[std::size_t(from.codes[std::size_t(i)])]
                                    : of(from.text(i)));
  return out;
}

std::vector<std::int32_t> RowMaker::places(const DesignPlan::Group& group) const {
  return places(column(group.name), group.levels);
}

namespace {

std::string some_of(const std::vector<std::string>& levels) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t k = 0; k < std::min(most, levels.size()); ++k)
    out += (k > 0 ? ", " : "") + shown(levels[k]);
  return levels.size() > most ? out + ", …" : out;
}

}  // namespace

ReadySource RowMaker::ready(const DesignPlan::Source& source) const {
  ReadySource out;
  if (source.is_words()) {
    const Column& from = column(source.name);
    out.codes = places(from, source.levels);
    together([&] {
      for (std::size_t i = 0; i < out.codes.size(); ++i)
        if (out.codes[i] < 0) {
          if (from.is_missing(kept_[i]))
            fail_in_row(kept_[i], source.name,
                        "the value is missing, which it never was in the data of the fit");
          fail_in_row(kept_[i], source.name, "the level ", shown(from.text(kept_[i])),
                      " did not occur in the data of the fit, which has ", some_of(source.levels));
        }
    });
    return out;
  }
  out.numbers = numbers(source.name);
  const auto missing = out.numbers.array().isNaN().eval();
  if (source.indicator) out.missing = missing.cast<double>();
  out.numbers = missing.select(source.mean, out.numbers.array());
  return out;
}

std::vector<ReadySource> RowMaker::ready_sources() const {
  std::vector<ReadySource> out;
  for (const auto& source : plan_.sources_) out.push_back(ready(source));
  return out;
}

Vector RowMaker::weights() const {
  Vector out = numbers(plan_.weights_);
  together([&] {
    for (Index i = 0; i < out.size(); ++i)
      if (!(out(i) >= 0.0))
        fail_in_row(kept_[std::size_t(i)], plan_.weights_, "the weight is ", out(i),
                    ", but must not be negative");
  });
  if (largest_of_ranks(out.isZero(0.0) ? 0 : 1) == 0)
    throw FileError(sentence(where_, ": all weights, column ", shown(plan_.weights_), ", are 0"));
  return out;
}

Vector RowMaker::trials() const {
  Vector out = numbers(plan_.trials_);
  together([&] {
    for (Index i = 0; i < out.size(); ++i)
      if (!(out(i) >= 1.0 && out(i) == std::floor(out(i))))
        fail_in_row(kept_[std::size_t(i)], plan_.trials_, "the number of trials is ",
                    number_text(out(i)), ", but must be a whole number, 1 or more");
  });
  return out;
}

void require_room_for_design(double rows, double coefficients, const Columns& data) {
  double bytes = 0.0;
  for (const Column& column : data.all)
    bytes += double(sizeof(double)) * double(column.numbers.size()) +
             double(sizeof(std::int32_t)) * double(column.codes.size());
  require_memory("the design matrix",
                 {{"the data", bytes},
                  {sentence(rows, " rows with ", coefficients, " coefficients"),
                   double(sizeof(double)) * rows * coefficients}},
                 "fewer terms, levels or groups take less");
}

DesignedRows DesignPlan::rows(const Columns& data, const std::string& where,
                              RowsFor purpose) const {
  const RowMaker maker(*this, data, where, purpose);
  DesignedRows out;
  if (maker.stored()) {
    out.blocks = together([&] { return std::make_shared<const DesignBlocks>(*this, data, where); });
  } else {
    const Index n = maker.rows();
    require_room_for_design(double(n), double(names.size()) + double(effects.size()), data);
    const std::vector<ReadySource> ready = maker.ready_sources();
    out.x.resize(n, Index(names.size()));
    together([&] { fill(out, maker, ready, where); });
  }
  out.kept = maker.kept();
  if (!offset_.empty()) out.offset = maker.numbers(offset_);
  if (!weights_.empty() && purpose == RowsFor::fit) out.weights = maker.weights();
  if (!trials_.empty() && (purpose == RowsFor::fit || data.find(trials_) != nullptr))
    out.trials = maker.trials();
  return out;
}

void DesignPlan::fill(DesignedRows& out, const RowMaker& maker,
                      const std::vector<ReadySource>& ready, const std::string& where) const {
  const Index n = maker.rows();
  Index at = 0;
  const auto put = [&](const Vector& raw) {
    out.x.col(at) = (raw.array() - shift(at)) / scale(at);
    if (!out.x.col(at).allFinite())
      throw FileError(sentence(where, ": ", shown(names[std::size_t(at)]),
                               " goes beyond the range of a double"));
    ++at;
  };
  for (const Term& term : terms_)
    each_column(term, sources_,
                [&](const TermColumn& column) { put(column_values(term, column, ready, n)); });
  for (std::size_t k = 0; k < sources_.size(); ++k)
    if (sources_[k].indicator) put(ready[k].missing);
  if (intercept) out.x.col(at++).setOnes();

  out.x.rightCols(out.x.cols() - at).setZero();
  out.unseen = Matrix::Zero(n, Index(effects.size()));
  Index run = 0;
  for (const Group& group : groups_) {
    const std::vector<std::int32_t> places = maker.places(group);
    const auto spread = [&](const Vector& z) {
      const Effects& effect = effects[std::size_t(run)];
      for (Index i = 0; i < n; ++i) {
        const std::int32_t place = places[std::size_t(i)];
        if (place >= 0)
          out.x(i, effect.first + place) = z(i);
        else
          out.unseen(i, run) = z(i) * z(i);
      }
      ++run;
    };
    spread(Vector::Ones(n));
    for (const Term& slope : group.slopes)
      each_column(slope, sources_, [&](const TermColumn& column) {
        const Effects& effect = effects[std::size_t(run)];
        spread((column_values(slope, column, ready, n).array() - effect.shift) / effect.scale);
      });
  }
  if (!out.x.allFinite() || !out.unseen.allFinite())
    throw FileError(where + ": a slope of a group goes beyond the range of a double");
}

}  // namespace fisherman
