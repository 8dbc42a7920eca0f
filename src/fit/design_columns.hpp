// The columns of a design, one by one: names and values of a term's columns.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fisherman/fit/design.hpp"

namespace fisherman {

/// What a missing word is as a level, and a missing number as a column.
inline constexpr const char* missing_level = "(missing)";

/// How many columns a term has. A double, for it may be any number before somebody has looked at it.
inline double columns_of_term(const DesignPlan::Term& term,
                              const std::vector<DesignPlan::Source>& sources) {
  double count = 1.0;
  for (const auto& factor : term) count *= double(sources[std::size_t(factor.source)].columns());
  return count;
}

/// One column of a term: the level of each factor; -1 for a factor of numbers.
using TermColumn = std::vector<Index>;

/// body(column) for each, the levels of the last factor fastest.
template <class Body>
void each_column(const DesignPlan::Term& term, const std::vector<DesignPlan::Source>& sources,
                 const Body& body) {
  const auto source = [&](std::size_t k) -> const DesignPlan::Source& {
    return sources[std::size_t(term[k].source)];
  };
  const auto after = [&](std::size_t k, Index level) {
    return level + 1 == source(k).reference ? level + 2 : level + 1;
  };
  TermColumn column(term.size(), -1);
  for (std::size_t k = 0; k < term.size(); ++k)
    if (source(k).is_words()) {
      if (source(k).columns() == 0) return;
      column[k] = after(k, -1);
    }
  for (;;) {
    body(std::as_const(column));
    std::size_t k = term.size();
    for (; k > 0; --k) {
      if (!source(k - 1).is_words()) continue;
      column[k - 1] = after(k - 1, column[k - 1]);
      if (column[k - 1] < Index(source(k - 1).levels.size())) break;
      column[k - 1] = after(k - 1, -1);
    }
    if (k == 0) return;
  }
}

/// "age^2:colour=red".
inline std::string column_name(const DesignPlan::Term& term, const TermColumn& column,
                               const std::vector<DesignPlan::Source>& sources) {
  std::string out;
  for (std::size_t k = 0; k < term.size(); ++k) {
    const DesignPlan::Source& source = sources[std::size_t(term[k].source)];
    if (k > 0) out += ':';
    out += source.name;
    if (source.is_words()) out.append("=").append(source.levels[std::size_t(column[k])]);
    if (term[k].power > 1) out.append("^").append(std::to_string(term[k].power));
  }
  return out;
}

/// The rows of a source, ready for use: numbers without gaps, or places among its levels.
struct ReadySource {
  Vector numbers;
  std::vector<std::int32_t> codes;
  Vector missing;  // 0 or 1; empty unless there is a term for it
};

inline Vector column_values(const DesignPlan::Term& term, const TermColumn& column,
                            const std::vector<ReadySource>& ready, Index rows) {
  Vector out = Vector::Ones(rows);
  for (std::size_t k = 0; k < term.size(); ++k) {
    const ReadySource& source = ready[std::size_t(term[k].source)];
    if (column[k] < 0) {
      for (Index p = 0; p < term[k].power; ++p) out.array() *= source.numbers.array();
    } else {
      for (Index i = 0; i < rows; ++i)
        if (source.codes[std::size_t(i)] != column[k]) out(i) = 0.0;
    }
  }
  return out;
}

}  // namespace fisherman
