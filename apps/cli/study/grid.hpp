// The settings that a search may choose from: some options with a few values each, in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem.hpp"

namespace fisherman::cli::study {

struct Axis {
  std::string option;
  std::vector<std::string> values;
};

/// One value of each axis, by its position.
using Cell = std::vector<std::size_t>;

class SettingsGrid {
 public:
  /// Throws Misuse for an axis without values, or two of one option.
  explicit SettingsGrid(std::vector<Axis> axes);
  /// "step-size=0.1,0.01; decay=0,0.5".
  static SettingsGrid parse(const std::string& text);

  std::size_t size() const;
  std::vector<Cell> all() const;
  Settings settings(const Cell& of) const;
  std::string text() const;
  /// Different cells, `count` of them or all there are, chosen at random by this seed.
  std::vector<Cell> sample(std::size_t count, std::uint64_t seed) const;
  /// The cells that differ from this one by one step along one axis.
  std::vector<Cell> neighbours(const Cell& of) const;

 private:
  Cell cell(std::size_t place) const;

  std::vector<Axis> axes_;
};

}  // namespace fisherman::cli::study
