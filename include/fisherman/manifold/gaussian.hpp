// Gaussian distributions (μ, Σ) in the geometries of the covariance. Ambient numbers: μ, then Σ column
// by column. An ambient gradient is (∇_μ, ∇_Σ), with tr(∇_Σ U) the derivative along U.
//
//   GaussianEuclidean         the paper's "Euc": coordinates (u, svec U)
//   GaussianBuresWasserstein  the paper's "BW"
//   GaussianAffine            Fisher-Rao: coordinates (L⁻¹u, svec(L⁻¹UL⁻ᵀ)/√2). The Fisher matrix is
//                             the identity at every point, so old scores never go stale.
#pragma once

#include <numbers>
#include <utility>

#include "fisherman/core/type_name.hpp"
#include "fisherman/manifold/spd.hpp"

namespace fisherman {

template <class Covariance>
class Gaussian {
 public:
  static std::string type_name() {
    return sentence("gaussian ", fisherman::type_name<Covariance>());
  }
  Gaussian(Vector mean, Covariance covariance)
      : mean_(std::move(mean)), covariance_(std::move(covariance)) {
    require(mean_.size() == covariance_.order(), "the mean has ", mean_.size(),
            " entries, but the covariance is of order ", covariance_.order());
    require(mean_.allFinite(), "the mean holds a NaN or an infinity");
  }

  Index order() const { return mean_.size(); }
  const Vector& mean() const { return mean_; }
  const Matrix& covariance() const { return covariance_.matrix(); }
  const Covariance& covariance_frame() const { return covariance_; }

  Index dimension() const { return order() + covariance_.dimension(); }
  Vector point() const { return joined(mean_, covariance_.point()); }

  Matrix pull(const ConstMatrixRef& E) const {
    require_size(E, order() + order() * order(), "a gradient with respect to (mean, covariance)");
    const Matrix sigma_part = E.bottomRows(order() * order());  // columns without gaps
    return stacked(covariance_.pull_mean(E.topRows(order())), covariance_.pull(sigma_part));
  }

  /// Covectors (∇_μ, ∇_Σ) = (aₖ, ½aₖaₖᵀ) for the columns aₖ: the scores of the Gaussian, up to a
  /// constant in ∇_Σ, with a = Σ⁻¹(y−μ). O(n²) each where the geometry allows.
  Matrix pull_scores(const ConstMatrixRef& A) const {
    return stacked(covariance_.pull_mean(A), 0.5 * covariance_.pull_squares(A));
  }

  Vector push(const ConstVectorRef& v) const {
    require_size(v, dimension(), "a tangent vector of a Gaussian");
    return joined(covariance_.push_mean(v.head(order())),
                  covariance_.push(v.tail(covariance_.dimension())));
  }

  Vector lift(const Vector& U) const {
    require_size(U, order() + order() * order(), "an ambient tangent vector of a Gaussian");
    return joined(covariance_.lift_mean(U.head(order())),
                  covariance_.lift(U.tail(order() * order())));
  }

  Gaussian retract(const Vector& v) const {
    require_size(v, dimension(), "a step of a Gaussian");
    require_finite(v, "a step of a Gaussian");
    return moved(v, covariance_.retract(v.tail(covariance_.dimension())));
  }

  double reach(const Vector& v) const { return covariance_.reach(v.tail(covariance_.dimension())); }
  Index clips() const { return covariance_.clips(); }

  // Where mean and covariance are a Riemannian product, so are these.
  static constexpr bool is_product = !std::same_as<Covariance, SpdAffine>;

  Gaussian exp(const Vector& v) const requires(is_product&& HasExp<Covariance>) {
    return moved(v, covariance_.exp(v.tail(covariance_.dimension())));
  }
  Vector log(const Gaussian& other) const requires(is_product&& HasLog<Covariance>) {
    return joined(other.mean_ - mean_, covariance_.log(other.covariance_));
  }
  double distance(const Gaussian& other) const requires(is_product&& HasDistance<Covariance>) {
    return std::hypot((other.mean_ - mean_).norm(), covariance_.distance(other.covariance_));
  }
  Transport transport_to(const Gaussian& next) const
      requires(is_product&& HasTransport<Covariance>) {
    const Transport t = covariance_.transport_to(next.covariance_);
    const auto below_mean = [n = order()](const Transport::Map& map) -> Transport::Map {
      return [n, map](const ConstMatrixRef& m) {
        return stacked(m.topRows(n), map(m.bottomRows(m.rows() - n)));
      };
    };
    return {below_mean(t.apply), below_mean(t.adjoint), below_mean(t.inverse_adjoint), t.kind};
  }

  Vector state() const { return joined(mean_, covariance_.state()); }
  Gaussian restored(const Vector& state) const {
    require_size(state, order() + order() * order(), "the state of a Gaussian");
    return Gaussian(state.head(order()), covariance_.restored(state.tail(order() * order())));
  }

 private:
  static Vector joined(const ConstVectorRef& a, const ConstVectorRef& b) {
    Vector out(a.size() + b.size());
    out << a, b;
    return out;
  }
  static Matrix stacked(const ConstMatrixRef& a, const ConstMatrixRef& b) {
    Matrix out(a.rows() + b.rows(), a.cols());
    out << a, b;
    return out;
  }
  Gaussian moved(const Vector& v, Covariance next) const {
    const Vector mean = mean_ + covariance_.push_mean(v.head(order()));
    require_finite(mean, "a mean after a step");
    return Gaussian(mean, std::move(next));
  }

  Vector mean_;
  Covariance covariance_;
};

using GaussianEuclidean = Gaussian<SpdEuclidean>;
using GaussianBuresWasserstein = Gaussian<SpdBuresWasserstein>;
using GaussianAffine = Gaussian<SpdAffine>;

inline GaussianEuclidean gaussian_euclidean(const Vector& mean, const Matrix& covariance) {
  return {mean, SpdEuclidean(covariance)};
}
inline GaussianBuresWasserstein gaussian_bures_wasserstein(const Vector& mean,
                                                           const Matrix& covariance) {
  return {mean, SpdBuresWasserstein(covariance)};
}
inline GaussianAffine gaussian_affine(const Vector& mean, const Matrix& covariance,
                                      SpdRetraction retraction = SpdRetraction::second_order) {
  return {mean, SpdAffine(covariance, retraction, 0.5 * std::numbers::sqrt2)};
}

}  // namespace fisherman
