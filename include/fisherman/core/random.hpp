// Counter-based randomness (Philox): a number depends on its address (seed, index, stream,
// position) and on nothing else. No generator state is kept, so the number of threads, the order of
// calls and a resume cannot change a draw.
#pragma once

#include <cstdint>
#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// The random numbers of one iteration. `stream` tells independent uses apart (a model might take 0
/// for its scores and 1 for its gradient); asking twice for the same stream gives the same numbers, and
/// normals, uniforms and integers of one stream are made from the same bits.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t index) : seed_(seed), index_(index) {}

  Matrix normals(std::uint32_t stream, Index rows, Index cols) const;
  /// Columns [first, first + count) of what normals(stream, rows, …) gives, without the others.
  Matrix normal_columns(std::uint32_t stream, Index rows, Index first, Index count) const;
  /// Uniform on the open interval (0, 1).
  Matrix uniforms(std::uint32_t stream, Index rows, Index cols) const;
  /// `count` integers, uniform on 0 … bound−1, with replacement.
  std::vector<Index> integers(std::uint32_t stream, Index count, Index bound) const;

  std::uint64_t seed() const { return seed_; }
  std::uint64_t index() const { return index_; }

 private:
  std::uint64_t seed_;
  std::uint64_t index_;
};

}  // namespace fisherman
