#include "grid.hpp"

#include <algorithm>
#include <numeric>

#include "fisherman/core/error.hpp"
#include "fisherman/core/random.hpp"

namespace fisherman::cli::study {

SettingsGrid::SettingsGrid(std::vector<Axis> axes) : axes_(std::move(axes)) {
  require(!axes_.empty(), "--grid names no option");
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    require(!axes_[i].values.empty(), "--grid: '", axes_[i].option, "' has no values");
    for (std::size_t j = 0; j < i; ++j)
      require(axes_[i].option != axes_[j].option, "--grid names '", axes_[i].option, "' twice");
  }
}

SettingsGrid SettingsGrid::parse(const std::string& text) {
  std::vector<Axis> axes;
  for (const std::string& part : split(text, ';')) {
    const auto equals = part.find('=');
    require(equals != std::string::npos && equals > 0, "--grid: '", part,
            "' is not OPTION=VALUE,VALUE,…");
    axes.push_back({part.substr(0, equals), split(part.substr(equals + 1), ',')});
  }
  return SettingsGrid(std::move(axes));
}

std::size_t SettingsGrid::size() const {
  std::size_t out = 1;
  for (const Axis& axis : axes_) out *= axis.values.size();
  return out;
}

Cell SettingsGrid::cell(std::size_t place) const {
  Cell out;
  for (const Axis& axis : axes_) {
    out.push_back(place % axis.values.size());
    place /= axis.values.size();
  }
  return out;
}

std::vector<Cell> SettingsGrid::all() const {
  std::vector<Cell> out;
  for (std::size_t place = 0; place < size(); ++place) out.push_back(cell(place));
  return out;
}

Settings SettingsGrid::settings(const Cell& of) const {
  Settings out;
  for (std::size_t k = 0; k < axes_.size(); ++k)
    out.emplace_back(axes_[k].option, axes_[k].values[of[k]]);
  return out;
}

std::string SettingsGrid::text() const {
  std::string out;
  for (const Axis& axis : axes_) {
    out += sentence(out.empty() ? "" : "; ", axis.option, "=");
    for (std::size_t k = 0; k < axis.values.size(); ++k)
      out += (k == 0 ? "" : ",") + axis.values[k];
  }
  return out;
}

std::vector<Cell> SettingsGrid::sample(std::size_t count, std::uint64_t seed) const {
  // The first `count` places of a shuffle; uniforms(0, 1) times what is left chooses the next.
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  count = std::min(count, order.size());
  const Matrix chance = Draws(seed, 0).uniforms(0, Index(count), 1);
  std::vector<Cell> cells;
  for (std::size_t k = 0; k < count; ++k) {
    std::swap(order[k], order[k + std::size_t(chance(Index(k), 0) * double(order.size() - k))]);
    cells.push_back(cell(order[k]));
  }
  return cells;
}

std::vector<Cell> SettingsGrid::neighbours(const Cell& of) const {
  std::vector<Cell> out;
  for (std::size_t k = 0; k < axes_.size(); ++k)
    for (const int step : {-1, 1}) {
      const std::ptrdiff_t at = std::ptrdiff_t(of[k]) + step;
      if (at < 0 || at >= std::ptrdiff_t(axes_[k].values.size())) continue;
      out.push_back(of);
      out.back()[k] = std::size_t(at);
    }
  return out;
}

}  // namespace fisherman::cli::study
