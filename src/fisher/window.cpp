#include "fisherman/fisher/window.hpp"

#include <utility>

#include "blas.hpp"

namespace fisherman {

using blas::Op;

namespace {
blas::View<const double> columns(const Matrix& m, Index first, Index count) {
  return {m.data() + first * m.rows(), m.rows(), count, m.rows()};
}
blas::View<double> block(Matrix& m, Index i, Index j, Index rows, Index cols) {
  return {m.data() + i + j * m.rows(), rows, cols, m.rows()};
}

WindowOptions checked(Index dimension, WindowOptions options) {
  require(dimension > 0, "a Fisher approximation needs a positive dimension, not ", dimension);
  require(options.size > 0, "the window's size is ", options.size, ", but must be positive");
  require(options.epsilon > 0.0 && std::isfinite(options.epsilon), "epsilon is ", options.epsilon,
          ", but must be positive and finite");
  options.floor.check();
  return options;
}

}  // namespace

Window::Window(Index dimension, WindowOptions options)
    : options_(checked(dimension, options)),
      U_(Matrix::Zero(dimension, options.size)),
      gram_(Matrix::Zero(options.size, options.size)),
      factor_(options.size, options.size),
      pivots_(options.size),
      weights_(options.size),
      direction_(dimension) {}

double Window::epsilon() const {
  return options_.epsilon + double(count()) * options_.floor.at(seen_);
}

void Window::absorb(const ConstMatrixRef& scores) {
  require_size(scores, dimension(), "a block of scores");
  require_finite(scores, "a block of scores");
  const Index kept = std::min(scores.cols(), options_.size);
  seen_ += scores.cols() - kept;
  const auto last = scores.rightCols(kept);
  const Index before_wrap = std::min(kept, options_.size - slot_);
  insert(last.leftCols(before_wrap));
  if (before_wrap < kept) insert(last.rightCols(kept - before_wrap));
}

/// Scores into neighbouring slots, the oldest ones there overwritten.
void Window::insert(const ConstMatrixRef& scores) {
  const Index b = scores.cols();
  if (b == 0) return;
  U_.middleCols(slot_, b) = scores;
  if (pairs_) V_.middleCols(slot_, b) = scores;
  seen_ += b;
  const Index held = count();
  blas::gemm(1.0, Op::transposed, columns(right(), 0, held), Op::plain, columns(U_, slot_, b), 0.0,
             block(gram_, 0, slot_, held, b));
  blas::gemm(1.0, Op::transposed, columns(right(), slot_, b), Op::plain, columns(U_, 0, held), 0.0,
             block(gram_, slot_, 0, b, held));
  slot_ = (slot_ + b) % options_.size;
  factorised_ = false;
}

void Window::factorise() {
  const Index k = count();
  factor_.topLeftCorner(k, k) = gram_.topLeftCorner(k, k);
  factor_.diagonal().head(k).array() += epsilon();
  const bool good = pairs_ ? LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, int(k), int(k), factor_.data(),
                                                 int(factor_.rows()), pivots_.data()) == 0
                           : blas::cholesky(block(factor_, 0, 0, k, k));
  if (!good) throw NotFinite("the window's Fisher approximation is no longer invertible");
  factorised_ = true;
}

const Vector& Window::solve(const ConstVectorRef& g) {
  require_size(g, dimension(), "a gradient");
  const Index k = count();
  direction_ = g;
  if (k > 0) {
    if (!factorised_) factorise();
    auto w = weights_.head(k);
    w.noalias() = right().leftCols(k).transpose() * g;
    if (pairs_)
      LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', int(k), 1, factor_.data(), int(factor_.rows()),
                          pivots_.data(), w.data(), int(k));
    else
      blas::solve_cholesky({factor_.data(), k, k, factor_.rows()}, w.data());
    direction_.noalias() -= U_.leftCols(k) * w;
  }
  direction_ *= double(std::max<Index>(k, 1)) / epsilon();
  return direction_;
}

void Window::carry(const Transport& forward, const Transport&) {
  if (forward.kind == Transport::Kind::identity) return;
  const Index k = count();
  if (k == 0) return;
  if (forward.kind == Transport::Kind::general) {
    require(
        bool(forward.inverse_adjoint),
        "a window cannot follow a transport that has no inverse (projection on fixed rank); use "
        "transport by the frame");
    if (!pairs_) V_ = U_;
    pairs_ = true;
  }
  const Matrix u = forward.apply(U_.leftCols(k));
  if (pairs_) V_.leftCols(k) = forward.inverse_adjoint(V_.leftCols(k));
  U_.leftCols(k) = u;
  // VᵀU is invariant under T and T⁻ᵀ, but not under the diagonal blocks of them that a block-diagonal
  // approximation hands on.
  if (forward.kind == Transport::Kind::general)
    blas::gemm(1.0, Op::transposed, columns(V_, 0, k), Op::plain, columns(U_, 0, k), 0.0,
               block(gram_, 0, 0, k, k));
  factorised_ = false;
}

void Window::save(Writer& out) const {
  for (const double option : options_.numbers()) out.put(option);
  out.put(U_);
  out.put(std::uint8_t(pairs_));
  if (pairs_) out.put(V_);
  out.put(gram_);
  out.put(std::int64_t(seen_));
  out.put(std::int64_t(slot_));
}

void Window::load(Reader& in) {
  for (const double option : options_.numbers()) Reader::expect(in.get<double>() == option);
  Matrix U = in.get_matrix<Matrix>();
  Reader::expect(U.rows() == U_.rows() && U.cols() == U_.cols());
  U_ = std::move(U);
  pairs_ = in.get<std::uint8_t>() != 0;
  if (pairs_) V_ = in.get_matrix<Matrix>();
  gram_ = in.get_matrix<Matrix>();
  seen_ = Index(in.get<std::int64_t>());
  slot_ = Index(in.get<std::int64_t>());
  Reader::expect(right().cols() == options_.size && gram_.rows() == options_.size &&
                 gram_.cols() == options_.size && slot_ >= 0 && slot_ < options_.size);
  factorised_ = false;
}

}  // namespace fisherman
