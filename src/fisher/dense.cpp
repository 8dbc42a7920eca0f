#include "fisherman/fisher/dense.hpp"

#include <utility>

#include "fisherman/core/memory.hpp"
#include "fisherman/core/parallel.hpp"
#include "symmetric.hpp"

namespace fisherman {

using blas::Op;
using blas::view;

template <class Scalar>
struct BasicDense<Scalar>::Impl {
  using Block = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Const = blas::View<const Scalar>;

  DenseOptions options;
  Block A;       // lower triangle
  Block P;       // room for columns put off; the first `pending` are in use
  Block X, Y;    // [Φ g] and H⁻¹[Φ g]; the first `queued` columns of X are scores not used yet
  Block small;   // room for PᵀX and ΦᵀY
  Matrix S;      // I + ΦᵀH⁻¹Φ, and its Cholesky factor
  Block factor;  // the same as stored numbers
  Vector direction;
  SymmetricWorkspace<Scalar> room;
  Index pending = 0, queued = 0, queued_scores = 0, count = 0, cycle = 0;

  Impl(Index dimension, DenseOptions o)
      : options(o), A(Block::Identity(dimension, dimension) / Scalar(o.epsilon)), P(dimension, 0) {}

  Index n() const { return A.rows(); }
  static Const head(const Block& m, Index cols) { return {m.data(), m.rows(), cols, m.rows()}; }
  static blas::View<Scalar> part(Block& m, Index first, Index rows, Index cols) {
    return {m.data() + first * m.rows(), rows, cols, m.rows()};
  }

  /// Columns of X that one absorb takes: the scores, and as many for the floor.
  Index width(Index scores) const { return options.floor.level > 0.0 ? 2 * scores : scores; }

  /// For `wide` columns in X besides the gradient.
  void make_room(Index wide) {
    const Index capacity = std::max(options.fold, wide);
    if (X.cols() < wide + 1) {
      X.resize(n(), wide + 1);
      Y.resize(n(), wide + 1);
    }
    if (P.cols() < capacity) {
      Block larger(n(), capacity);
      larger.leftCols(pending) = P.leftCols(pending);
      P = std::move(larger);
    }
    if (small.rows() < capacity || small.cols() < wide + 1) small.resize(capacity, wide + 1);
  }

  void fold() {
    if (pending > 0) symmetric_subtract<Scalar>(view(A), head(P, pending));
    pending = 0;
  }

  /// body(first, count) for parts of [0, total), whatever the threads.
  template <class Body>
  static void in_parts(Index total, Index part, Body body) {
    parallel_for(std::size_t((total + part - 1) / part), [&](std::size_t k) {
      const Index first = Index(k) * part;
      body(first, std::min(part, total - first));
    });
  }
  static constexpr Index row_part = 128, column_part = 32;

  /// Y ← H⁻¹X for the first `cols` columns.
  void multiply(Index cols) {
    if (pending >= options.fold) fold();  // cheaper than to correct for so many columns
    symmetric_times<Scalar>(head(A, n()), head(X, cols), part(Y, 0, n(), cols), room);
    if (pending == 0) return;
    const auto PX = part(small, 0, pending, cols);
    blas::gemm(Scalar(1), Op::transposed, head(P, pending), Op::plain, head(X, cols), Scalar(0),
               PX);
    blas::gemm(Scalar(-1), Op::plain, head(P, pending), Op::plain,
               Const{PX.data, pending, cols, PX.stride}, Scalar(1), part(Y, 0, n(), cols));
  }

  /// eq:fisher-inversefree-update for all queued scores at once (Woodbury). With Y = H⁻¹Φ and
  /// I + ΦᵀY = LLᵀ, the new H⁻¹ is H⁻¹ − (YL⁻ᵀ)(YL⁻ᵀ)ᵀ: more columns for P. Scores that are too large
  /// for that are dropped, and the trouble is told.
  void take_in() {
    const Index q = std::exchange(queued, 0), scores = std::exchange(queued_scores, 0);
    S.setZero(q, q);
    in_parts(q, column_part, [&](Index first, Index cols) {  // the lower triangle of I + ΦᵀY
      const blas::View<Scalar> gram{small.data() + first + first * small.rows(), q - first, cols,
                                    small.rows()};
      blas::gemm(Scalar(1), Op::transposed, Const{X.data() + first * n(), n(), q - first, n()},
                 Op::plain, Const{Y.data() + first * n(), n(), cols, n()}, Scalar(0), gram);
      for (Index j = first; j < first + cols; ++j)
        for (Index i = first; i < q; ++i) S(i, j) = double(small(i, j)) + (i == j ? 1.0 : 0.0);
    });
    if (!S.allFinite() || !blas::cholesky(view(S))) {
      count -= scores;
      throw NotFinite("scores are too large, or the Fisher approximation is not positive definite");
    }
    if (pending + q > P.cols()) fold();
    factor = S.template cast<Scalar>();
    in_parts(n(), row_part, [&](Index first, Index rows) {
      P.block(first, pending, rows, q) = Y.block(first, 0, rows, q);
      blas::solve_lower_right(view(std::as_const(factor)),
                              {P.data() + first + pending * n(), rows, q, n()});
    });
    pending += q;
  }
};

template <class Scalar>
BasicDense<Scalar>::BasicDense(Index dimension, DenseOptions options) {
  require(dimension > 0, "a Fisher approximation needs a positive dimension, not ", dimension);
  require(options.epsilon > 0.0 && std::isfinite(options.epsilon), "epsilon is ", options.epsilon,
          ", but must be positive and finite");
  require(options.fold >= 1, "fold is ", options.fold, ", but must be at least 1");
  options.floor.check();
  require_memory(sentence("a dense Fisher approximation of dimension ", dimension),
                 {{"its matrix", memory(dimension, 1, options)}}, "a Window takes far less");
  impl_ = std::make_unique<Impl>(dimension, options);
}

template <class Scalar>
BasicDense<Scalar>::BasicDense(const BasicDense& other)
    : impl_(std::make_unique<Impl>(*other.impl_)) {}
template <class Scalar>
BasicDense<Scalar>& BasicDense<Scalar>::operator=(const BasicDense& other) {
  if (this != &other) *impl_ = *other.impl_;
  return *this;
}
template <class Scalar>
BasicDense<Scalar>::BasicDense(BasicDense&&) noexcept = default;
template <class Scalar>
BasicDense<Scalar>& BasicDense<Scalar>::operator=(BasicDense&&) noexcept = default;
template <class Scalar>
BasicDense<Scalar>::~BasicDense() = default;

template <class Scalar>
Index BasicDense<Scalar>::dimension() const {
  return impl_->n();
}
template <class Scalar>
Index BasicDense<Scalar>::count() const {
  return impl_->count;
}

template <class Scalar>
void BasicDense<Scalar>::absorb(const ConstMatrixRef& scores) {
  Impl& m = *impl_;
  require_size(scores, m.n(), "a block of scores");
  require_finite(scores, "a block of scores");
  if (scores.cols() == 0) return;
  if (m.queued > 0) {
    m.multiply(m.queued);
    m.take_in();
  }
  const Index b = scores.cols();
  m.make_room(m.width(b));
  Impl::in_parts(b, Impl::column_part, [&](Index first, Index cols) {
    m.X.middleCols(first, cols) = scores.middleCols(first, cols).template cast<Scalar>();
  });
  m.queued = m.width(b);
  if (m.queued > b) {
    const double size = std::sqrt(m.options.floor.at(m.count + b) * double(m.n()));
    m.X.middleCols(b, b).setZero();
    for (Index k = b; k < 2 * b; ++k, m.cycle = (m.cycle + 1) % m.n())
      m.X(m.cycle, k) = Scalar(size);
  }
  m.queued_scores = b;
  m.count += b;
}

template <class Scalar>
const Vector& BasicDense<Scalar>::solve(const ConstVectorRef& g) {
  Impl& m = *impl_;
  require_size(g, m.n(), "a gradient");
  if (m.X.cols() == 0) m.make_room(1);
  m.X.col(m.queued) = g.template cast<Scalar>();
  m.multiply(m.queued + 1);
  const double n = double(std::max<Index>(m.count, 1));
  m.direction = m.Y.col(m.queued).template cast<double>();
  if (const Index q = m.queued; q > 0) {
    m.take_in();
    // The gradient meets H⁻¹ before the update; the new columns of P correct it.
    const auto fresh = m.P.middleCols(m.pending - q, q);
    auto weights = m.small.col(0).head(q);
    weights.noalias() = fresh.transpose() * m.X.col(q);
    m.Y.col(q).noalias() -= fresh * weights;
    m.direction = m.Y.col(q).template cast<double>();
  }
  m.direction *= n;
  return m.direction;
}

template <class Scalar>
void BasicDense<Scalar>::carry(const Transport&, const Transport& backward) {
  if (backward.kind == Transport::Kind::identity) return;
  Impl& m = *impl_;
  const double n = double(std::max<Index>(m.count, 1));
  const Matrix inverse = this->inverse() / n;
  const Matrix half = backward.adjoint(inverse);  // BᵀH⁻¹
  const Matrix whole = backward.adjoint(half.transpose());
  m.A = (0.5 * (whole + whole.transpose())).template cast<Scalar>();
}

template <class Scalar>
Matrix BasicDense<Scalar>::inverse() {
  Impl& m = *impl_;
  if (m.queued > 0) {
    m.multiply(m.queued);
    m.take_in();
  }
  m.fold();
  Matrix out = m.A.template cast<double>();
  out.template triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out * double(std::max<Index>(m.count, 1));
}

template <class Scalar>
double BasicDense<Scalar>::memory(Index dimension, Index scores, const DenseOptions& options) {
  const double n = double(dimension),
               wide = double(options.floor.level > 0.0 ? 2 * scores : scores);
  const double pending = std::max(double(options.fold), wide), products = 2.0 * (wide + 1.0);
  const double partial = wide + 1.0 <= 4.0 ? 9.0 * (wide + 1.0) : 0.0;
  return sizeof(Scalar) * n * (n + pending + products + partial) + sizeof(double) * n;
}

template <class Scalar>
void BasicDense<Scalar>::save(Writer& out) const {
  const Impl& m = *impl_;
  for (const double option : m.options.numbers()) out.put(option);
  out.put_lower(m.A);
  out.put(typename Impl::Block(m.P.leftCols(m.pending)));
  out.put(std::int64_t(m.P.cols()));  // decides when columns are folded in
  out.put(std::int64_t(m.count));
  out.put(std::int64_t(m.cycle));
  out.put(typename Impl::Block(m.X.leftCols(m.queued)));  // left by a step that was rejected
  out.put(std::int64_t(m.queued_scores));
}

template <class Scalar>
void BasicDense<Scalar>::load(Reader& in) {
  Impl& m = *impl_;
  for (const double option : m.options.numbers()) Reader::expect(in.get<double>() == option);
  in.get_lower(m.A);
  const auto columns = in.get_matrix<typename Impl::Block>();
  const auto capacity = Index(in.get<std::int64_t>());
  Reader::expect(columns.rows() == m.n() && capacity >= columns.cols() &&
                 double(capacity) * double(m.n()) * sizeof(Scalar) <= memory_now().left);
  m.P.resize(m.n(), capacity);
  m.P.leftCols(columns.cols()) = columns;
  m.pending = columns.cols();
  m.count = Index(in.get_count());
  m.cycle = Index(in.get_count());
  const auto queue = in.get_matrix<typename Impl::Block>();
  Reader::expect(m.cycle < m.n() && (queue.cols() == 0 || queue.rows() == m.n()));
  m.queued = queue.cols();
  if (m.queued > 0) {
    m.make_room(m.queued);
    m.X.leftCols(m.queued) = queue;
  }
  m.queued_scores = Index(in.get_count());
  Reader::expect(m.queued_scores <= m.queued && m.queued_scores <= m.count);
}

template class BasicDense<double>;
template class BasicDense<float>;

}  // namespace fisherman
