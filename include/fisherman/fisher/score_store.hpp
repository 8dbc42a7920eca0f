// How a window keeps its scores. It asks for three things only: inner products of scores, Φᵀg and Φw; so a
// score need not be a column of numbers.
//
//   DenseScores     columns; after a transport that is no isometry, pairs of columns. ranks may share the coordinates
//   FactoredScores  scores that begin with a skew matrix of rank two, kept as its two factors
#pragma once

#include <concepts>
#include <vector>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"
#include "fisherman/fisher/spread.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

/// `put` writes columns of a block into slots; `gram` fills in VᵀU for the slots just written, among the
/// first `held`; `project` is w = Vᵀg; `subtract` is direction −= Uw. (U = V for symmetric stores.)
template <class S>
concept ScoreStore = requires(S& store, const S& kept, const typename S::Shape& shape,
                              const typename S::Block& block, Index k, Matrix& gram,
                              const ConstVectorRef& g, Eigen::Ref<Vector> w, Writer& out,
                              Reader& in) {
  S(shape, k);
  { kept.dimension() } -> std::convertible_to<Index>;
  { kept.symmetric() } -> std::convertible_to<bool>;
  kept.check(block);  // throws Misuse or NotFinite
  store.put(k, block, k, k);
  kept.gram(k, k, k, gram);
  store.project(g, k, w);
  store.subtract(w, k, w);
  kept.save(out);
  store.load(in);
};

/// The columns are cut into tiles of some hundred coordinates, as rows of data are (core/row_sum.hpp): an inner product is a
/// sum over tiles, of which threads and ranks compute subtrees. Ranks have the tiles of their coordinates, if it is worth it
/// (spread.hpp). Up to 512 coordinates are one tile.
class DenseScores {
 public:
  using Shape = Index;  // the dimension
  using Block = ConstMatrixRef;

  DenseScores(Index dimension, Index capacity);

  Index dimension() const { return dimension_; }
  bool symmetric() const { return !pairs_; }
  bool is_spread() const { return spread_.in_parts(); }
  void check(const ConstMatrixRef& scores) const;
  void put(Index slot, const ConstMatrixRef& scores, Index from, Index count);
  void gram(Index slot, Index count, Index held, Matrix& gram) const;
  void project(const ConstVectorRef& g, Index held, Eigen::Ref<Vector> w) const;
  void subtract(const ConstVectorRef& w, Index held, Eigen::Ref<Vector> direction) const;
  /// A transport maps whole columns: ranks collect them for it.
  void carry(const Transport& forward, Index held);
  void save(Writer& out) const;
  void load(Reader& in);

  /// What K columns take, in bytes, on the rank that keeps the most of them.
  static double memory(Index dimension, Index capacity);

 private:
  struct Tile {
    Index first;  // coordinate
    Matrix U, V;  // V is empty until a transport tells u from v
    const Matrix& right() const { return V.size() > 0 ? V : U; }
  };

  static Spread spread_of(Index dimension, Index capacity);
  template <class Leaf>
  Matrix sum_over_tiles(const Leaf& leaf) const;
  /// Of all ranks' tiles: Tile::U or Tile::V.
  Matrix collected(Matrix Tile::*part, Index held) const;
  void put_tiles(Writer& out, Matrix Tile::*part) const;
  void get_tiles(Reader& in, std::vector<Tile>& tiles, Matrix Tile::*part) const;

  Index dimension_, capacity_;
  Spread spread_;
  std::vector<Tile> tiles_;  // those that are here
  bool pairs_ = false;
};

/// b scores whose coordinates are those of skew(left rightᵀ) on O(n), then `zeros` zeros, then `rest`. The
/// flow of the paper has such scores (eq:SylvesterNF): d(d−1)/2 + 2d numbers follow from 4d.
struct ScoreFactors {
  static constexpr const char* unavailable =
      "this model's scores have no factors; learn from them with Window";

  Matrix left, right;  // n×b
  Index zeros = 0;
  Matrix rest;  // m×b

  Index cols() const { return left.cols(); }
  Index dimension() const;
  /// The coordinates, written out.
  Matrix dense() const;
};

class FactoredScores {
 public:
  struct Shape {
    Index order, zeros, rest;
    Index dimension() const;
  };
  using Block = ScoreFactors;

  FactoredScores(Shape shape, Index capacity);
  /// What K of them take, in bytes.
  static double memory(const Shape& shape, Index capacity);

  Index dimension() const { return shape_.dimension(); }
  bool symmetric() const { return true; }
  void check(const ScoreFactors& scores) const;
  void put(Index slot, const ScoreFactors& scores, Index from, Index count);
  /// ⟨skew(p aᵀ), skew(q cᵀ)⟩ = ½((p·q)(a·c) − (p·c)(a·q))
  void gram(Index slot, Index count, Index held, Matrix& gram) const;
  void project(const ConstVectorRef& g, Index held, Eigen::Ref<Vector> w);
  void subtract(const ConstVectorRef& w, Index held, Eigen::Ref<Vector> direction);
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  Shape shape_;
  Matrix left_, right_, rest_;
  Matrix square_, tall_;  // scratch: n×n and n×K
};

}  // namespace fisherman
