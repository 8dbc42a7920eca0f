// One approximation for each block of coordinates; what couples the blocks is left out. The paper's
// applications use it: mean and covariance of a Gaussian, coefficients and intercepts of a
// regression.
//
// Blocks know nothing of each other, so that ranks can share them: each rank has neighbouring ones, and all know the
// whole direction. Every block is worked with as it would be on one rank, and no bit depends on whose it is.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/type_name.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/fisher/spread.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

template <FisherApproximation Block>
class BlockDiagonal {
 public:
  using Make = std::function<Block(std::size_t)>;

  static std::string type_name() {
    return sentence("block-diagonal ", fisherman::type_name<Block>());
  }
  /// Every rank has all of them.
  explicit BlockDiagonal(std::vector<Block> blocks) : blocks_(std::move(blocks)), shares_({}) {
    for (const Block& block : blocks_) at_.push_back(at_.back() + block.dimension());
    begin();
  }
  /// make(k) is block k, a matrix for sizes[k] coordinates. Ranks share them where it is worth it (spread.hpp): each makes its
  /// own, and another's only for the time that it takes to read past it in a checkpoint.
  BlockDiagonal(const std::vector<Index>& sizes, Make make)
      : make_(std::move(make)), shares_(sizes) {
    for (const Index size : sizes) at_.push_back(at_.back() + size);
    begin();
    const int here = shares_.spread().here();
    first_ = shares_.first(here);
    for (std::size_t k = first_; k < shares_.first(here + 1); ++k) blocks_.push_back(made(k));
  }

  /// Those that are here.
  const std::vector<Block>& blocks() const { return blocks_; }
  Index dimension() const { return at_.back(); }
  bool is_spread() const {
    for (const Block& block : blocks_)
      if (fisherman::is_spread(block)) return true;
    return shares_.spread().in_parts();
  }

  void absorb(const ConstMatrixRef& scores) {
    require_size(scores, dimension(), "a block of scores");
    require_finite(scores, "a block of scores");  // before any block has taken its part
    absorb_each([&](std::size_t k) { return scores.middleRows(at_[k], size(k)); });
  }
  /// scores_of(k) are those of block k, and asked for if it is here.
  template <class ScoresOf>
  void absorb_each(const ScoresOf& scores_of) {
    each([&](Block& block, std::size_t k) { block.absorb(scores_of(k)); });
  }
  const Vector& solve(const ConstVectorRef& g) {
    require_size(g, dimension(), "a gradient");
    const auto ours = [&] {
      each_here([&](Block& block, std::size_t k) {
        direction_.segment(at_[k], size(k)) = block.solve(g.segment(at_[k], size(k)));
      });
      const Index from = at_[first_];
      return Vector(direction_.segment(from, at_[first_ + blocks_.size()] - from));
    };
    if (!shares_.spread().in_parts()) {
      ours();
      return direction_;
    }
    shares_.spread().check();
    Index at = 0;
    for (const Vector& piece : made_on_each_rank(ours)) {
      direction_.segment(at, piece.size()) = piece;
      at += piece.size();
    }
    return direction_;
  }
  /// Each block moves by the diagonal block of the transport.
  void carry(const Transport& forward, const Transport& backward) {
    each([&](Block& block, std::size_t k) {
      block.carry(forward.block(at_[k], size(k), dimension()),
                  backward.block(at_[k], size(k), dimension()));
    });
  }
  void save(Writer& out) const {
    const auto ours = [&](Writer& to) {
      for (const Block& block : blocks_) block.save(to);
    };
    if (!shares_.spread().in_parts()) return ours(out);
    shares_.spread().check();
    write_in_turn(out, [&](Writer& to) {
      const Alone here;
      ours(to);
    });
  }
  void load(Reader& in) {
    for (std::size_t k = 0; k + 1 < at_.size(); ++k)
      if (k >= first_ && k - first_ < blocks_.size())
        blocks_[k - first_].load(in);
      else
        made(k).load(in);
  }

 private:
  Index size(std::size_t k) const { return at_[k + 1] - at_[k]; }

  void begin() {
    require(at_.size() > 1, "a block-diagonal approximation needs at least one block");
    direction_.resize(dimension());
  }
  Block made(std::size_t k) const {
    const Alone here;  // a block is one rank's
    return make_(k);
  }

  /// body(block, number) for the blocks that are here. What is wrong with one of them is told when all have had their turn: so
  /// they are in the same state whatever ranks there are.
  template <class Body>
  void each_here(const Body& body) {
    std::optional<Alone> here;
    if (shares_.spread().in_parts()) here.emplace();
    std::exception_ptr trouble;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      try {
        body(blocks_[i], first_ + i);
      } catch (...) {
        if (!trouble) trouble = std::current_exception();
      }
    }
    if (trouble) std::rethrow_exception(trouble);
  }
  template <class Body>
  void each(const Body& body) {
    if (!shares_.spread().in_parts()) return each_here(body);
    shares_.spread().check();
    together([&] { each_here(body); });
  }

  std::vector<Index> at_ = {0};  // where blocks begin, and where the last ends
  std::vector<Block> blocks_;    // those that are here, from first_ on
  std::size_t first_ = 0;
  Make make_;
  BlockShares shares_;
  Vector direction_;
};

}  // namespace fisherman
