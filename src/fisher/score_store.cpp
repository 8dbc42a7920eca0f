#include "fisherman/fisher/score_store.hpp"

#include <numbers>
#include <utility>

#include "blas.hpp"
#include "fisherman/core/packing.hpp"

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
}  // namespace

DenseScores::DenseScores(Index dimension, Index capacity)
    : U_(Matrix::Zero(checked(dimension), capacity)) {}

void DenseScores::check(const ConstMatrixRef& scores) const {
  require_size(scores, dimension(), "a block of scores");
  require_finite(scores, "a block of scores");
}

void DenseScores::put(Index slot, const ConstMatrixRef& scores, Index from, Index count) {
  U_.middleCols(slot, count) = scores.middleCols(from, count);
  if (pairs_) V_.middleCols(slot, count) = scores.middleCols(from, count);
}

void DenseScores::gram(Index slot, Index count, Index held, Matrix& gram) const {
  blas::gemm(1.0, Op::transposed, columns(right(), 0, held), Op::plain, columns(U_, slot, count),
             0.0, block(gram, 0, slot, held, count));
  blas::gemm(1.0, Op::transposed, columns(right(), slot, count), Op::plain, columns(U_, 0, held),
             0.0, block(gram, slot, 0, count, held));
}

void DenseScores::project(const ConstVectorRef& g, Index held, Eigen::Ref<Vector> w) const {
  w.noalias() = right().leftCols(held).transpose() * g;
}

void DenseScores::subtract(const ConstVectorRef& w, Index held,
                           Eigen::Ref<Vector> direction) const {
  direction.noalias() -= U_.leftCols(held) * w;
}

void DenseScores::carry(const Transport& forward, Index held) {
  if (forward.kind == Transport::Kind::general) {
    require(
        bool(forward.inverse_adjoint),
        "a window cannot follow a transport that has no inverse (projection on fixed rank); use "
        "transport by the frame");
    if (!pairs_) V_ = U_;
    pairs_ = true;
  }
  const Matrix u = forward.apply(U_.leftCols(held));
  if (pairs_) V_.leftCols(held) = forward.inverse_adjoint(V_.leftCols(held));
  U_.leftCols(held) = u;
}

void DenseScores::save(Writer& out) const {
  out.put(U_);
  out.put(std::uint8_t(pairs_));
  if (pairs_) out.put(V_);
}

void DenseScores::load(Reader& in) {
  Matrix U = in.get_matrix<Matrix>(), V;
  const bool pairs = in.get<std::uint8_t>() != 0;
  if (pairs) V = in.get_matrix<Matrix>();
  Reader::expect(U.rows() == U_.rows() && U.cols() == U_.cols() &&
                 (!pairs || (V.rows() == U.rows() && V.cols() == U.cols())));
  U_ = std::move(U);
  V_ = std::move(V);
  pairs_ = pairs;
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
