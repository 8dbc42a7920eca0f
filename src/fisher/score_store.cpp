#include "fisherman/fisher/score_store.hpp"

#include <algorithm>
#include <numbers>
#include <optional>
#include <utility>

#include "blas.hpp"
#include "fisherman/core/packing.hpp"
#include "fisherman/core/row_sum.hpp"

namespace fisherman {

using blas::Op;

namespace {
blas::View<const double> columns(const Matrix& m, Index first, Index count) {
  return {m.data() + first * m.rows(), m.rows(), count, m.rows()};
}
blas::View<double> block(Matrix& m, Index i, Index j, Index rows, Index cols) {
  return {m.data() + i + j * m.rows(), rows, cols, m.rows()};
}
Index checked(Index dimension) {
  require(dimension > 0, "a Fisher approximation needs a positive dimension, not ", dimension);
  return dimension;
}
/// Coordinates.
Index most_of_a_rank(Index dimension) {
  Index most = 0;
  for (int r = 0; r < rank_count(); ++r)
    most = std::max(most, RowPart::of_rank(dimension, r).count);
  return most;
}
}  // namespace

Spread DenseScores::spread_of(Index dimension, Index capacity) {
  return Spread(double(dimension) * double(capacity),
                double(most_of_a_rank(dimension)) * double(capacity));
}

DenseScores::DenseScores(Index dimension, Index capacity)
    : dimension_(checked(dimension)), capacity_(capacity), spread_(spread_of(dimension, capacity)) {
  const RowGroups groups(dimension);
  const RowPart here = spread_.in_parts() ? RowPart::of_rank(dimension) : RowPart::whole(dimension);
  for (Index g = 0; g < groups.count(); ++g)
    if (here.has(groups.first(g)))
      tiles_.push_back({groups.first(g), Matrix::Zero(groups.rows_of(g), capacity), {}});
}

double DenseScores::memory(Index dimension, Index capacity) {
  const bool shared = spread_of(dimension, capacity).in_parts();
  const double here = double(shared ? most_of_a_rank(dimension) : dimension);
  return 2.0 * here * double(capacity) * sizeof(double);  // pairs
}

void DenseScores::check(const ConstMatrixRef& scores) const {
  require_size(scores, dimension(), "a block of scores");
  require_finite(scores, "a block of scores");
}

void DenseScores::put(Index slot, const ConstMatrixRef& scores, Index from, Index count) {
  for (Tile& tile : tiles_) {
    const auto some = scores.block(tile.first, from, tile.U.rows(), count);
    tile.U.middleCols(slot, count) = some;
    if (pairs_) tile.V.middleCols(slot, count) = some;
  }
}

template <class Leaf>
Matrix DenseScores::sum_over_tiles(const Leaf& leaf) const {
  spread_.check();
  std::optional<Alone> alone;
  if (!spread_.in_parts()) alone.emplace();  // all of it is here
  return sum_over_rows<Matrix>(dimension_, [&](Index first, Index) {
    return leaf(*std::lower_bound(tiles_.begin(), tiles_.end(), first,
                                  [](const Tile& tile, Index at) { return tile.first < at; }));
  });
}

void DenseScores::gram(Index slot, Index count, Index held, Matrix& gram) const {
  const auto product = [&](const Matrix& a, Index a_first, Index a_count, const Matrix& b,
                           Index b_first, Index b_count, blas::View<double> out) {
    blas::gemm(1.0, Op::transposed, columns(a, a_first, a_count), Op::plain,
               columns(b, b_first, b_count), 0.0, out);
  };
  const auto new_columns = block(gram, 0, slot, held, count),
             new_rows = block(gram, slot, 0, count, held);
  if (tiles_.size() == 1 && !is_spread()) {
    const Tile& all = tiles_.front();
    product(all.right(), 0, held, all.U, slot, count, new_columns);
    product(all.right(), slot, count, all.U, 0, held, new_rows);
    return;
  }
  // Both side by side, the rows transposed; but for pairs they are the same.
  const Matrix both = sum_over_tiles([&](const Tile& tile) {
    Matrix some(held, pairs_ ? 2 * count : count);
    product(tile.right(), 0, held, tile.U, slot, count, block(some, 0, 0, held, count));
    if (pairs_) product(tile.U, 0, held, tile.V, slot, count, block(some, 0, count, held, count));
    return some;
  });
  gram.block(slot, 0, count, held) = both.rightCols(count).transpose();
  gram.block(0, slot, held, count) = both.leftCols(count);
}

void DenseScores::project(const ConstVectorRef& g, Index held, Eigen::Ref<Vector> w) const {
  const auto of_tile = [&](const Tile& tile, auto&& out) {
    out.noalias() = tile.right().leftCols(held).transpose() * g.segment(tile.first, tile.U.rows());
  };
  if (tiles_.size() == 1 && !is_spread()) {
    of_tile(tiles_.front(), w);
    return;
  }
  w = sum_over_tiles([&](const Tile& tile) {
    Matrix some(held, 1);
    of_tile(tile, some.col(0));
    return some;
  });
}

void DenseScores::subtract(const ConstVectorRef& w, Index held,
                           Eigen::Ref<Vector> direction) const {
  parallel_for(tiles_.size(), [&](std::size_t k) {
    const Tile& tile = tiles_[k];
    direction.segment(tile.first, tile.U.rows()).noalias() -= tile.U.leftCols(held) * w;
  });
  if (!is_spread()) return;
  const RowPart here = RowPart::of_rank(dimension_);
  Index at = 0;
  for (const Vector& piece : from_each_rank(Vector(direction.segment(here.first, here.count)))) {
    direction.segment(at, piece.size()) = piece;
    at += piece.size();
  }
}

Matrix DenseScores::collected(Matrix Tile::*part, Index held) const {
  Matrix whole(dimension_, held);
  for (const Tile& tile : tiles_)
    whole.middleRows(tile.first, tile.U.rows()) = (tile.*part).leftCols(held);
  if (!is_spread()) return whole;
  spread_.check();
  const RowPart here = RowPart::of_rank(dimension_);
  Index at = 0;
  for (const Matrix& piece : from_each_rank(Matrix(whole.middleRows(here.first, here.count)))) {
    whole.middleRows(at, piece.rows()) = piece;
    at += piece.rows();
  }
  return whole;
}

void DenseScores::carry(const Transport& forward, Index held) {
  if (forward.kind == Transport::Kind::general) {
    require(
        bool(forward.inverse_adjoint),
        "a window cannot follow a transport that has no inverse (projection on fixed rank); use "
        "transport by the frame");
    if (!pairs_)
      for (Tile& tile : tiles_) tile.V = tile.U;
    pairs_ = true;
  }
  const auto map = [&](Matrix Tile::*part, const Transport::Map& to) {
    const Matrix there = to(collected(part, held));
    for (Tile& tile : tiles_)
      (tile.*part).leftCols(held) = there.middleRows(tile.first, tile.U.rows());
  };
  map(&Tile::U, forward.apply);
  if (pairs_) map(&Tile::V, forward.inverse_adjoint);
}

void DenseScores::put_tiles(Writer& out, Matrix Tile::*part) const {
  const auto ours = [&](Writer& to) {
    for (const Tile& tile : tiles_) to.put(tile.*part);
  };
  if (!is_spread()) return ours(out);
  spread_.check();
  write_in_turn(out, ours);
}

void DenseScores::get_tiles(Reader& in, std::vector<Tile>& tiles, Matrix Tile::*part) const {
  const RowGroups groups(dimension_);
  auto next = tiles.begin();
  for (Index g = 0; g < groups.count(); ++g) {
    Matrix one = in.get_matrix<Matrix>();
    Reader::expect(one.rows() == groups.rows_of(g) && one.cols() == capacity_);
    if (next != tiles.end() && next->first == groups.first(g)) *next++.*part = std::move(one);
  }
}

void DenseScores::save(Writer& out) const {
  put_tiles(out, &Tile::U);
  out.put(std::uint8_t(pairs_));
  if (pairs_) put_tiles(out, &Tile::V);
}

void DenseScores::load(Reader& in) {
  std::vector<Tile> tiles;
  for (const Tile& tile : tiles_) tiles.push_back({tile.first, {}, {}});
  get_tiles(in, tiles, &Tile::U);
  const bool pairs = in.get<std::uint8_t>() != 0;
  if (pairs) get_tiles(in, tiles, &Tile::V);
  tiles_ = std::move(tiles);
  pairs_ = pairs;
}

double FactoredScores::memory(const Shape& shape, Index capacity) {
  const double order = double(shape.order), columns = double(capacity);
  return sizeof(double) *
         ((3.0 * order + double(shape.rest)) * columns + order * order + double(shape.dimension()));
}

Index FactoredScores::Shape::dimension() const { return skew_size(order) + zeros + rest; }
Index ScoreFactors::dimension() const { return skew_size(left.rows()) + zeros + rest.rows(); }

Matrix ScoreFactors::dense() const {
  Matrix out = Matrix::Zero(dimension(), cols());
  const Index skew = skew_size(left.rows());
  for (Index k = 0; k < cols(); ++k)
    out.col(k).head(skew) = skew_vec(left.col(k) * right.col(k).transpose());
  out.bottomRows(rest.rows()) = rest;
  return out;
}

FactoredScores::FactoredScores(Shape shape, Index capacity)
    : shape_(shape),
      left_(Matrix::Zero(shape.order, capacity)),
      right_(Matrix::Zero(shape.order, capacity)),
      rest_(Matrix::Zero(shape.rest, capacity)),
      square_(Matrix::Zero(shape.order, shape.order)),
      tall_(shape.order, capacity) {
  checked(shape.dimension());
}

void FactoredScores::check(const ScoreFactors& scores) const {
  require_size(scores.left, shape_.order, "the left factors of scores");
  require_size(scores.right, shape_.order, "the right factors of scores");
  require_size(scores.rest, shape_.rest, "the rest of factored scores");
  require(scores.zeros == shape_.zeros && scores.right.cols() == scores.cols() &&
              scores.rest.cols() == scores.cols(),
          "the parts of factored scores do not belong together");
  require_finite(scores.left, "a block of scores");
  require_finite(scores.right, "a block of scores");
  require_finite(scores.rest, "a block of scores");
}

void FactoredScores::put(Index slot, const ScoreFactors& scores, Index from, Index count) {
  left_.middleCols(slot, count) = scores.left.middleCols(from, count);
  right_.middleCols(slot, count) = scores.right.middleCols(from, count);
  rest_.middleCols(slot, count) = scores.rest.middleCols(from, count);
}

void FactoredScores::gram(Index slot, Index count, Index held, Matrix& gram) const {
  const auto p = left_.leftCols(held), a = right_.leftCols(held);
  const auto q = left_.middleCols(slot, count), c = right_.middleCols(slot, count);
  const Matrix pq = p.transpose() * q, ac = a.transpose() * c, pc = p.transpose() * c,
               aq = a.transpose() * q;
  const Matrix new_columns = 0.5 * (pq.cwiseProduct(ac) - pc.cwiseProduct(aq)) +
                             rest_.leftCols(held).transpose() * rest_.middleCols(slot, count);
  gram.block(0, slot, held, count) = new_columns;
  gram.block(slot, 0, count, held) = new_columns.transpose();
}

// ⟨skew(p aᵀ), G⟩ = pᵀGa for a skew G.
void FactoredScores::project(const ConstVectorRef& g, Index held, Eigen::Ref<Vector> w) {
  const Index n = shape_.order;
  const double* next = g.data();
  for (Index j = 0; j < n; ++j)  // half of G; the other half is its transpose with the other sign
    for (Index i = j + 1; i < n; ++i) square_(i, j) = *next++;
  auto tall = tall_.leftCols(held);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i) square_(i, j) = -square_(j, i);
  tall.noalias() = square_ * right_.leftCols(held);
  w = 0.5 * std::numbers::sqrt2 *
      left_.leftCols(held).cwiseProduct(tall).colwise().sum().transpose();
  w.noalias() += rest_.leftCols(held).transpose() * g.tail(shape_.rest);
}

void FactoredScores::subtract(const ConstVectorRef& w, Index held, Eigen::Ref<Vector> direction) {
  const Index n = shape_.order;
  auto tall = tall_.leftCols(held);
  tall.noalias() = left_.leftCols(held) * w.asDiagonal();
  square_.noalias() = tall * right_.leftCols(held).transpose();
  double* next = direction.data();
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i)
      *next++ -= 0.5 * std::numbers::sqrt2 * (square_(i, j) - square_(j, i));
  square_.diagonal().setZero();
  direction.tail(shape_.rest).noalias() -= rest_.leftCols(held) * w;
}

void FactoredScores::save(Writer& out) const {
  out.put(left_);
  out.put(right_);
  out.put(rest_);
}

void FactoredScores::load(Reader& in) {
  Matrix left = in.get_matrix<Matrix>(), right = in.get_matrix<Matrix>(),
         rest = in.get_matrix<Matrix>();
  const auto same = [](const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols();
  };
  Reader::expect(same(left, left_) && same(right, right_) && same(rest, rest_));
  left_ = std::move(left);
  right_ = std::move(right);
  rest_ = std::move(rest);
}

}  // namespace fisherman
