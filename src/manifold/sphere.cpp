#include "fisherman/manifold/sphere.hpp"

#include <cmath>
#include <numbers>

namespace fisherman {

Oblique::Oblique(const ConstMatrixRef& X) : X_(X) {
  require(X.size() > 0, "a point on a sphere needs coordinates");
  require(X.allFinite(), "a point on a sphere holds a NaN or an infinity");
  for (Index j = 0; j < X.cols(); ++j) {
    const double norm = X.col(j).stableNorm();
    require(norm > 0.0, "column ", j + 1, " is zero and points nowhere on the sphere");
    X_.col(j) = X.col(j) / norm;
  }
}

Oblique Oblique::restored(const Vector& state) const {
  require_size(state, X_.size(), "the state of a point on a sphere");
  return Oblique(Unit{as_matrix(state.data(), rows(), cols())});
}

Matrix Oblique::pull(const ConstMatrixRef& E) const {
  require_size(E, X_.size(), "a gradient with respect to a point on a sphere");
  Matrix out = E;
  for (Index k = 0; k < E.cols(); ++k)
    for (Index j = 0; j < cols(); ++j) {
      auto part = out.col(k).segment(j * rows(), rows());
      part -= X_.col(j) * X_.col(j).dot(part);
    }
  return out;
}

Oblique Oblique::retract(const Vector& v) const {
  require_finite(v, "a step on a sphere");
  const Vector u = push(v);
  Matrix X = X_;
  for (Index j = 0; j < cols(); ++j) {
    const auto part = u.segment(j * rows(), rows());
    const double angle = part.norm();
    const double ratio = angle < 1e-8 ? 1.0 : std::sin(angle) / angle;
    X.col(j) = std::cos(angle) * X_.col(j) + ratio * part;
    X.col(j).normalize();
  }
  return Oblique(Unit{std::move(X)});
}

double Oblique::reach(const Vector& v) const {
  const Vector u = push(v);
  double most = 0.0;
  for (Index j = 0; j < cols(); ++j) most = std::max(most, u.segment(j * rows(), rows()).norm());
  constexpr double quarter = 0.5 * std::numbers::pi;
  return most > quarter ? quarter / most : 1.0;
}

Vector Oblique::log(const Oblique& other) const {
  require(other.rows() == rows() && other.cols() == cols(), "the two points have different sizes");
  Vector out(dimension());
  for (Index j = 0; j < cols(); ++j) {
    const auto x = X_.col(j), y = other.X_.col(j);
    const double cosine = x.dot(y);
    const Vector across = y - cosine * x;
    const double sine = across.norm();
    require(sine > 1e-14 || cosine > 0.0, "column ", j + 1,
            " and its counterpart are opposite: their log is not unique");
    const double angle = std::atan2(sine, cosine);
    out.segment(j * rows(), rows()) = sine > 0.0 ? Vector(across * (angle / sine)) : across;
  }
  return out;
}

Transport Oblique::transport_to(const Oblique& next) const {
  require(next.rows() == rows() && next.cols() == cols(), "the two points have different sizes");
  for (Index j = 0; j < cols(); ++j)
    require(1.0 + X_.col(j).dot(next.X_.col(j)) > 1e-12, "column ", j + 1,
            " and its counterpart are opposite: transport between them is not unique");
  // Rv = v − (x+y)·v/(1+x·y) (x+y) + 2(x·v)y takes x to y and leaves their complement alone.
  const auto rotation = [](const Matrix& X, const Matrix& Y) {
    return [X, Y](const ConstMatrixRef& columns) {
      Matrix out = columns;
      const Index n = X.rows();
      for (Index k = 0; k < columns.cols(); ++k)
        for (Index j = 0; j < X.cols(); ++j) {
          const auto x = X.col(j), y = Y.col(j);
          const Vector v = columns.col(k).segment(j * n, n);
          const Vector sum = x + y;
          out.col(k).segment(j * n, n) =
              v - sum * (sum.dot(v) / (1.0 + x.dot(y))) + y * (2.0 * x.dot(v));
        }
      return out;
    };
  };
  return Transport::isometry(rotation(X_, next.X_), rotation(next.X_, X_));
}

}  // namespace fisherman
