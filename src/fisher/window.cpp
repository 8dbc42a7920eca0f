#include "fisherman/fisher/window.hpp"

#include <utility>

#include "blas.hpp"

namespace fisherman {
namespace {

WindowOptions checked(WindowOptions options) {
  require(options.size > 0, "the window's size is ", options.size, ", but must be positive");
  require(options.epsilon > 0.0 && std::isfinite(options.epsilon), "epsilon is ", options.epsilon,
          ", but must be positive and finite");
  options.floor.check();
  return options;
}

}  // namespace

template <ScoreStore Store>
BasicWindow<Store>::BasicWindow(typename Store::Shape shape, WindowOptions options)
    : options_(checked(options)),
      store_(shape, options.size),
      gram_(Matrix::Zero(options.size, options.size)),
      factor_(options.size, options.size),
      pivots_(options.size),
      weights_(options.size),
      direction_(store_.dimension()) {}

template <ScoreStore Store>
double BasicWindow<Store>::epsilon() const {
  return options_.epsilon + double(count()) * options_.floor.at(seen_);
}

template <ScoreStore Store>
void BasicWindow<Store>::absorb(const typename Store::Block& scores) {
  store_.check(scores);
  const Index kept = std::min(scores.cols(), options_.size), dropped = scores.cols() - kept;
  seen_ += dropped;
  const Index before_wrap = std::min(kept, options_.size - slot_);
  insert(scores, dropped, before_wrap);
  insert(scores, dropped + before_wrap, kept - before_wrap);
}

/// Scores into neighbouring slots, the oldest ones there overwritten.
template <ScoreStore Store>
void BasicWindow<Store>::insert(const typename Store::Block& scores, Index from, Index b) {
  if (b == 0) return;
  store_.put(slot_, scores, from, b);
  seen_ += b;
  store_.gram(slot_, b, count(), gram_);
  slot_ = (slot_ + b) % options_.size;
  factorised_ = false;
}

template <ScoreStore Store>
void BasicWindow<Store>::factorise() {
  const Index k = count();
  factor_.topLeftCorner(k, k) = gram_.topLeftCorner(k, k);
  factor_.diagonal().head(k).array() += epsilon();
  const bool good = store_.symmetric()
                        ? blas::cholesky({factor_.data(), k, k, factor_.rows()})
                        : LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, int(k), int(k), factor_.data(),
                                              int(factor_.rows()), pivots_.data()) == 0;
  if (!good) throw NotFinite("the window's Fisher approximation is no longer invertible");
  factorised_ = true;
}

template <ScoreStore Store>
const Vector& BasicWindow<Store>::solve(const ConstVectorRef& g) {
  require_size(g, dimension(), "a gradient");
  const Index k = count();
  direction_ = g;
  if (k > 0) {
    if (!factorised_) factorise();
    auto w = weights_.head(k);
    store_.project(g, k, w);
    if (store_.symmetric())
      blas::solve_cholesky({factor_.data(), k, k, factor_.rows()}, w.data());
    else
      LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', int(k), 1, factor_.data(), int(factor_.rows()),
                          pivots_.data(), w.data(), int(k));
    store_.subtract(w, k, direction_);
  }
  direction_ *= double(std::max<Index>(k, 1)) / epsilon();
  return direction_;
}

template <ScoreStore Store>
void BasicWindow<Store>::carry(const Transport& forward, const Transport&) {
  if (forward.kind == Transport::Kind::identity || count() == 0) return;
  if constexpr (dense) {
    store_.carry(forward, count());
    // VᵀU is invariant under T and T⁻ᵀ, but not under the diagonal blocks of them that a block-diagonal
    // approximation hands on.
    if (forward.kind == Transport::Kind::general) store_.gram(0, count(), count(), gram_);
    factorised_ = false;
  } else {
    throw Misuse("factored scores follow no transport but the frame's own");
  }
}

template <ScoreStore Store>
void BasicWindow<Store>::save(Writer& out) const {
  for (const double option : options_.numbers()) out.put(option);
  store_.save(out);
  out.put(gram_);
  out.put(std::int64_t(seen_));
  out.put(std::int64_t(slot_));
}

template <ScoreStore Store>
void BasicWindow<Store>::load(Reader& in) {
  for (const double option : options_.numbers()) Reader::expect(in.get<double>() == option);
  Store store = store_;
  store.load(in);
  Matrix gram = in.get_matrix<Matrix>();
  const auto seen = Index(in.get_count()), slot = Index(in.get_count());
  Reader::expect(gram.rows() == options_.size && gram.cols() == options_.size &&
                 slot < options_.size);
  store_ = std::move(store);
  gram_ = std::move(gram);
  seen_ = seen;
  slot_ = slot;
  factorised_ = false;
}

template class BasicWindow<DenseScores>;
template class BasicWindow<FactoredScores>;

}  // namespace fisherman
