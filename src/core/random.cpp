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

/// Columns [first, first + cols) of a matrix of so many rows that fills a stream from its beginning: each
/// position of the stream gives two neighbouring entries.
template <class Pair>
Matrix fill(const Draws& draws, std::uint32_t stream, Index rows, Index first, Index cols,
            Pair pair) {
  const Index begin = rows * first, end = begin + rows * cols;
  require(end / 2 < Index(std::numeric_limits<std::uint32_t>::max()),
          "a stream holds 2^33 numbers, but ", rows, " x ", first + cols, " were asked for");
  Matrix out(rows, cols);
  for (Index k = begin - begin % 2; k < end; k += 2) {
    const auto w = words(draws, stream, std::uint32_t(k / 2));
    const auto [one, other] = pair(unit(w[0]), unit(w[1]));
    if (k >= begin) out.data()[k - begin] = one;
    if (k + 1 < end) out.data()[k + 1 - begin] = other;
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
  return fill(*this, stream, rows, 0, cols, box_muller);
}

Matrix Draws::normal_columns(std::uint32_t stream, Index rows, Index first, Index count) const {
  return fill(*this, stream, rows, first, count, box_muller);
}

Matrix Draws::uniforms(std::uint32_t stream, Index rows, Index cols) const {
  return fill(*this, stream, rows, 0, cols, [](double u, double v) {
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
