#include <cmath>

#include "fisherman/core/packing.hpp"
#include "fisherman/manifold/spd.hpp"

namespace fisherman {

SpdLogEuclidean::SpdLogEuclidean(const ConstMatrixRef& sigma)
    : SpdLogEuclidean(
          Logarithm{spectrum(checked(sigma).sigma).map([](double x) { return std::log(x); })}) {}

SpdLogEuclidean::SpdLogEuclidean(Logarithm log_sigma)
    : SpdPoint(Reached{spectrum(log_sigma.value).map([](double x) { return std::exp(x); })}),
      log_sigma_(std::move(log_sigma.value)),
      eigen_(spectrum(log_sigma_)),
      divided_(order(), order()) {
  const Vector& s = eigen_.values;
  for (Index j = 0; j < order(); ++j)
    for (Index i = 0; i < order(); ++i) {
      // (eˣ−eʸ)/(x−y), without cancellation: e^((x+y)/2) sinh(h)/h, h = (x−y)/2.
      const double h = 0.5 * (s(i) - s(j));
      const double ratio = std::abs(h) < 1e-4 ? 1.0 + h * h / 6.0 : std::sinh(h) / h;
      divided_(i, j) = std::exp(0.5 * (s(i) + s(j))) * ratio;
    }
}

SpdLogEuclidean SpdLogEuclidean::restored(const Vector& state) const {
  require_size(state, order() * order(), "the state of a positive definite matrix");
  return SpdLogEuclidean(Logarithm{as_matrix(state.data(), order(), order())});
}

Matrix SpdLogEuclidean::differential(const ConstMatrixRef& S) const {
  const Matrix& P = eigen_.P;
  const Matrix inner = P.transpose() * S * P;
  return P * (inner.array() * divided_.array()).matrix() * P.transpose();
}

Matrix SpdLogEuclidean::pull(const ConstMatrixRef& E) const {
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k) out.col(k) = svec(differential(gradient(E, k)));
  return out;
}

Vector SpdLogEuclidean::push(const ConstVectorRef& v) const {
  return as_vector(differential(coordinates(v)));
}

Vector SpdLogEuclidean::lift(const Vector& U) const {
  const Matrix& P = eigen_.P;
  const Matrix inner = P.transpose() * gradient(U, 0) * P;
  return svec(P * inner.cwiseQuotient(divided_) * P.transpose());
}

SpdLogEuclidean SpdLogEuclidean::retract(const Vector& v) const {
  require_finite(v, "a step");
  return SpdLogEuclidean(Logarithm{log_sigma_ + coordinates(v)});
}

double SpdLogEuclidean::reach(const Vector& v) const {
  const double norm = spectrum(coordinates(v)).values.cwiseAbs().maxCoeff();
  return norm > 2.0 ? 2.0 / norm : 1.0;
}

Vector SpdLogEuclidean::log(const SpdLogEuclidean& other) const {
  return svec(other.log_sigma_ - log_sigma_);
}

}  // namespace fisherman
