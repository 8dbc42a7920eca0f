// Gradients by automatic differentiation, against differences and a gradient by hand.
#include "fisherman/model/adolc_target.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fisherman::adolc_target_test {
namespace {

/// With a branch, and functions of several kinds.
struct Bent {
  template <class T>
  T operator()(const std::vector<T>& x) const {
    using std::exp;
    using std::sin;
    T out = -0.5 * x[0] * x[0] - exp(x[1]) + sin(x[0] * x[2]);
    if (x[2] > 0.0)
      out = out - x[2] * x[2] * x[2];
    else
      out = out + 2.0 * x[2];
    return out;
  }
};

TEST(AdolcTarget, HasTheGradientOfTheFunction) {
  const FunctionTarget target = adolc_target(3, Bent{});
  const Matrix points{{0.3, -1.2, 2.0}, {0.5, 0.1, -0.7}, {0.8, -0.4, 1.1}};
  Matrix slopes(3, 3);
  const Vector values = target.log_density(points, slopes);
  EXPECT_EQ(values, target.log_density(points));
  for (Index k = 0; k < 3; ++k) {
    const double x = points(0, k), y = points(1, k), z = points(2, k);
    const Vector exact{{-x + z * std::cos(x * z), -std::exp(y),
                        x * std::cos(x * z) + (z > 0.0 ? -3.0 * z * z : 2.0)}};
    EXPECT_LT((slopes.col(k) - exact).norm(), 1e-13) << k;  // the same formula, to rounding
  }
}

}  // namespace
}  // namespace fisherman::adolc_target_test
