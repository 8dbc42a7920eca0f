// Data for logistic regressions, some of them nasty.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "fisherman/core/random.hpp"

namespace fisherman::bench {

struct LogisticData {
  Matrix X;
  Vector y;
};

/// plain       normal columns, linear predictors of size 2, noisy classes
/// scaled      the same, the columns multiplied by 1e-6 … 1e6
/// separable   no noise, and a gap between the classes
/// collinear   a third of the columns copies of others, a third copies up to 1e-8
/// imbalanced  one row in a hundred or so in class 1
/// heavy       columns with the tails of Student's t with two degrees of freedom
/// binary      columns of zeros and some ones
inline const std::vector<std::string>& logistic_kinds() {
  static const std::vector<std::string> kinds = {"plain",      "scaled", "separable", "collinear",
                                                 "imbalanced", "heavy",  "binary"};
  return kinds;
}

inline Matrix logistic_columns(const std::string& kind, Index rows, Index cols,
                               const Draws& draws) {
  Matrix X = draws.normals(0, rows, cols);
  if (kind == "heavy") {
    X.array() /= (-draws.uniforms(1, rows, cols).array().log()).sqrt();
  } else if (kind == "collinear") {
    const Index third = cols / 3;
    const Matrix noise = draws.normals(1, rows, cols);
    for (Index j = 0; j < third; ++j) {
      X.col(third + j) = X.col(j);
      X.col(2 * third + j) = X.col(j) + 1e-8 * noise.col(j);
    }
  } else if (kind == "binary") {
    X = (X.array() > 1.5).cast<double>();
  }
  return X;
}

inline LogisticData logistic_data(const std::string& kind, Index rows, Index cols,
                                  std::uint64_t seed) {
  const Draws draws(seed, 0);
  LogisticData data{logistic_columns(kind, rows, cols, draws), Vector(rows)};
  const Vector beta = 2.0 * draws.normals(2, cols, 1) / std::sqrt(double(cols));
  const Vector eta = data.X * beta, u = draws.uniforms(3, rows, 1);
  if (kind == "separable") {
    data.y = (eta.array() > 0.0).cast<double>();
    data.X += (data.y.array() - 0.5).matrix() * beta.transpose() / beta.squaredNorm();
  } else {
    const double shift = kind == "imbalanced" ? 5.0 : 0.0;
    for (Index i = 0; i < rows; ++i)
      data.y(i) = u(i) < 1.0 / (1.0 + std::exp(shift - eta(i))) ? 1.0 : 0.0;
    data.y.head(2) << 0.0, 1.0;  // both classes, whatever the chances
  }
  if (kind == "scaled") {
    const Vector power = draws.uniforms(4, cols, 1);
    for (Index j = 0; j < cols; ++j) data.X.col(j) *= std::pow(10.0, 12.0 * power(j) - 6.0);
  }
  return data;
}

}  // namespace fisherman::bench
