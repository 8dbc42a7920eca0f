// One approximation for each block of coordinates; what couples the blocks is left out. The paper's
// applications use it: mean and covariance of a Gaussian, coefficients and intercepts of a
// regression.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/type_name.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

template <FisherApproximation Block>
class BlockDiagonal {
 public:
  static std::string type_name() {
    return sentence("block-diagonal ", fisherman::type_name<Block>());
  }
  explicit BlockDiagonal(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
    require(!blocks_.empty(), "a block-diagonal approximation needs at least one block");
    direction_.resize(dimension());
  }

  const std::vector<Block>& blocks() const { return blocks_; }
  Index dimension() const {
    return std::accumulate(blocks_.begin(), blocks_.end(), Index(0),
                           [](Index sum, const Block& b) { return sum + b.dimension(); });
  }
  void absorb(const ConstMatrixRef& scores) {
    require_size(scores, dimension(), "a block of scores");
    require_finite(scores, "a block of scores");  // before any block has taken its part
    each([&](Block& block, Index at) { block.absorb(scores.middleRows(at, block.dimension())); });
  }
  const Vector& solve(const ConstVectorRef& g) {
    require_size(g, dimension(), "a gradient");
    each([&](Block& block, Index at) {
      direction_.segment(at, block.dimension()) = block.solve(g.segment(at, block.dimension()));
    });
    return direction_;
  }
  /// Each block moves by the diagonal block of the transport.
  void carry(const Transport& forward, const Transport& backward) {
    const Index total = dimension();
    each([&](Block& block, Index at) {
      const Index size = block.dimension();
      block.carry(forward.block(at, size, total), backward.block(at, size, total));
    });
  }
  void save(Writer& out) const {
    for (const Block& block : blocks_) block.save(out);
  }
  void load(Reader& in) {
    for (Block& block : blocks_) block.load(in);
  }

 private:
  template <class Body>
  void each(Body body) {
    Index at = 0;
    for (Block& block : blocks_) {
      body(block, at);
      at += block.dimension();
    }
  }

  std::vector<Block> blocks_;
  Vector direction_;
};

}  // namespace fisherman
