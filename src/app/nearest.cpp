#include "fisherman/app/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fisherman {
namespace {

std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& names) {
  const auto nearest = std::min_element(
      names.begin(), names.end(),
      [&](const std::string& a, const std::string& b) { return edits(a, name) < edits(b, name); });
  return nearest == names.end() ? "" : *nearest;
}

}  // namespace fisherman
