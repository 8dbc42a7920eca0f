// Of the logistic distribution, for any argument without overflow.
#pragma once

#include <cmath>

namespace fisherman {

inline double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return (x >= 0.0 ? 1.0 : e) / (1.0 + e);
}

/// sigmoid(x) (1 − sigmoid(x)), without cancellation.
inline double sigmoid_slope(double x) {
  const double e = std::exp(-std::abs(x));
  return e / ((1.0 + e) * (1.0 + e));
}

}  // namespace fisherman
