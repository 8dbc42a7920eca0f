// What a law checker found: each law by name, what was measured and what was allowed. It needs no
// test framework; with GoogleTest write EXPECT_TRUE(report.ok()) << report;
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace fisherman::testing {

struct Law {
  std::string name;
  double measured, lowest, highest;

  bool holds() const { return measured >= lowest && measured <= highest; }  // false for NaN
};

class LawReport {
 public:
  void below(std::string name, double error, double tolerance) {
    laws_.push_back({std::move(name), error, -std::numeric_limits<double>::infinity(), tolerance});
  }
  void above(std::string name, double value, double least) {
    laws_.push_back({std::move(name), value, least, std::numeric_limits<double>::infinity()});
  }
  void between(std::string name, double value, double lowest, double highest) {
    laws_.push_back({std::move(name), value, lowest, highest});
  }
  void add(const LawReport& other) {
    laws_.insert(laws_.end(), other.laws_.begin(), other.laws_.end());
  }

  const std::vector<Law>& laws() const { return laws_; }
  /// At least one law was checked, and all hold.
  bool ok() const {
    return !laws_.empty() &&
           std::all_of(laws_.begin(), laws_.end(), [](const Law& l) { return l.holds(); });
  }

  friend std::ostream& operator<<(std::ostream& out, const LawReport& report) {
    for (const Law& law : report.laws_) {
      out << (law.holds() ? "holds  " : "BROKEN ") << law.name << ": " << law.measured;
      if (std::isfinite(law.lowest)) out << ", at least " << law.lowest;
      if (std::isfinite(law.highest)) out << ", at most " << law.highest;
      out << '\n';
    }
    return out;
  }

 private:
  std::vector<Law> laws_;
};

/// The slope of log(error) against log(size) through two measurements; +infinity where both errors
/// are rounding (below `noise`), as for a map that is exact.
inline double slope(double size1, double error1, double size2, double error2, double noise) {
  if (error1 <= noise && error2 <= noise) return std::numeric_limits<double>::infinity();
  return std::log(error1 / std::max(error2, noise * 1e-3)) / std::log(size1 / size2);
}

}  // namespace fisherman::testing
