#include <cmath>

#include "fisherman/core/packing.hpp"
#include "fisherman/manifold/spd.hpp"

namespace fisherman {

SpdPoint::Reached SpdPoint::checked(const ConstMatrixRef& sigma, double floor) {
  require(sigma.rows() == sigma.cols() && sigma.rows() > 0,
          "a positive definite matrix is square and not empty, but this one is ", sigma.rows(),
          " x ", sigma.cols());
  require(sigma.allFinite(), "a positive definite matrix holds a NaN or an infinity");
  const double asymmetry = (sigma - sigma.transpose()).cwiseAbs().maxCoeff();
  require(asymmetry <= 1e-10 * sigma.cwiseAbs().maxCoeff(),
          "a positive definite matrix must be symmetric, but entries differ from their mirror by ",
          asymmetry);
  const double smallest = spectrum(sigma).values(0);
  require(smallest > 0.0, "the matrix is not positive definite: its smallest eigenvalue is ",
          smallest);
  require(smallest >= floor, "the smallest eigenvalue is ", smallest,
          ", but this geometry clips at ", floor, "; scale the problem, or take the affine one");
  return {sigma};
}

SpdPoint::SpdPoint(Reached reached) : sigma_(std::move(reached.sigma)), clips_(reached.clips) {
  require_finite(sigma_, "a covariance after a step");
  sigma_ = (0.5 * (sigma_ + sigma_.transpose())).eval();
}

Index SpdPoint::dimension() const { return svec_size(order()); }

SpdPoint::Reached SpdPoint::clipped(const Matrix& sigma) {
  const Spectrum s = spectrum(0.5 * (sigma + sigma.transpose()));
  if (s.values(0) >= spd_floor) return {sigma, 0};
  return {s.map([](double x) { return std::max(x, spd_floor); }),
          (s.values.array() < spd_floor).count()};
}

SpdPoint::Reached SpdPoint::from_state(const Vector& state) const {
  require_size(state, order() * order(), "the state of a positive definite matrix");
  return {as_matrix(state.data(), order(), order()), 0};
}

Eigen::Map<const Matrix> SpdPoint::gradient(const ConstMatrixRef& E, Index column) const {
  require_size(E, order() * order(), "a gradient with respect to a positive definite matrix");
  return as_matrix(E.col(column).data(), order(), order());
}

Matrix SpdPoint::coordinates(const ConstVectorRef& v) const { return smat(v, order()); }

// ---- SpdEuclidean

Matrix SpdEuclidean::pull(const ConstMatrixRef& E) const {
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k) out.col(k) = svec(gradient(E, k));
  return out;
}

Matrix SpdEuclidean::pull_squares(const ConstMatrixRef& A) const {
  Matrix out(dimension(), A.cols());
  for (Index k = 0; k < A.cols(); ++k) out.col(k) = svec(A.col(k) * A.col(k).transpose());
  return out;
}

Vector SpdEuclidean::push(const ConstVectorRef& v) const { return as_vector(coordinates(v)); }

Vector SpdEuclidean::lift(const Vector& U) const { return svec(gradient(U, 0)); }

SpdEuclidean SpdEuclidean::retract(const Vector& v) const {
  return SpdEuclidean(clipped(matrix() + coordinates(v)));
}

double SpdEuclidean::reach(const Vector& v) const {
  const Spectrum s = spectrum(matrix());
  const Matrix inverse_root = s.map([](double x) { return 1.0 / std::sqrt(x); });
  const double most_negative = spectrum(inverse_root * coordinates(v) * inverse_root).values(0);
  return most_negative < -0.5 ? -0.5 / most_negative : 1.0;
}

}  // namespace fisherman
