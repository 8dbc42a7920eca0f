#include "fisherman/fit/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fisherman {
namespace {

std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] =
          std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 100;  // nobody meant that, and to compare takes the square of it
  if (name.size() > longest) return "";
  std::string nearest;
  std::size_t fewest = 0;
  for (const std::string& candidate : names) {
    const std::size_t changes = edits(candidate, name);
    if (3 * changes > std::max(name.size(), candidate.size())) continue;
    if (!nearest.empty() && changes >= fewest) continue;
    nearest = candidate;
    fewest = changes;
  }
  return nearest;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& names,
                         const std::string& more) {
  const std::string nearest = nearest_name(name, names);
  if (nearest.empty()) return more.empty() ? "" : "; " + more;
  return "; did you mean '" + nearest + "'?" + (more.empty() ? "" : " " + more);
}

}  // namespace fisherman
