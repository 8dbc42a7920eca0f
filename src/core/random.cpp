#include "fisherman/core/random.hpp"

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

/// Two 64-bit words for each position of a stream.
std::array<std::uint64_t, 2> words(const Draws& draws, std::uint32_t stream,
                                   std::uint32_t position) {
  const std::uint64_t seed = draws.seed();
  const std::uint64_t index = draws.index();
  const r123::Philox4x32::key_type key = {{std::uint32_t(seed), std::uint32_t(seed >> 32)}};
  const r123::Philox4x32::ctr_type counter = {
      {position, stream, std::uint32_t(index), std::uint32_t(index >> 32)}};
  const auto w = r123::Philox4x32{}(counter, key);
  return {(std::uint64_t(w[0]) << 32) | w[1], (std::uint64_t(w[2]) << 32) | w[3]};
}

/// The middle of one of 2^52 equal cells of (0, 1), exactly: never 0, never 1.
double unit(std::uint64_t word) { return (double(word >> 12) + 0.5) * 0x1p-52; }

/// Fills `out` with pairs: each position of the stream gives two neighbouring entries.
template <class Pair>
Matrix fill(const Draws& draws, std::uint32_t stream, Index rows, Index cols, Pair pair) {
  require(rows * cols / 2 < Index(std::numeric_limits<std::uint32_t>::max()),
          "a stream holds 2^33 numbers, but ", rows, " x ", cols, " were asked for");
  Matrix out(rows, cols);
  for (Index k = 0; k < out.size(); k += 2) {
    const auto w = words(draws, stream, std::uint32_t(k / 2));
    const auto [first, second] = pair(unit(w[0]), unit(w[1]));
    out.data()[k] = first;
    if (k + 1 < out.size()) out.data()[k + 1] = second;
  }
  return out;
}

std::array<double, 2> box_muller(double u, double v) {
  const double radius = std::sqrt(-2.0 * std::log(u));
  const double angle = 2.0 * std::numbers::pi * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

Matrix Draws::normals(std::uint32_t stream, Index rows, Index cols) const {
  return fill(*this, stream, rows, cols, box_muller);
}

Matrix Draws::uniforms(std::uint32_t stream, Index rows, Index cols) const {
  return fill(*this, stream, rows, cols, [](double u, double v) {
    return std::array<double, 2>{u, v};
  });
}

std::vector<Index> Draws::integers(std::uint32_t stream, Index count, Index bound) const {
  require(bound > 0, "integers below ", bound, " do not exist; the bound must be positive");
  const Matrix u = uniforms(stream, count, 1);
  std::vector<Index> out(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) out[std::size_t(k)] = Index(u(k) * double(bound));
  return out;
}

}  // namespace fisherman
