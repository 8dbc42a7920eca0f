// The posterior of a model of your own, without a derivative by hand: a robust regression line, y = a + b x with Student-t
// errors, its log density a template that ADOL-C differentiates.
//
//   g++ -std=c++20 automatic_gradient.cpp $(pkg-config --cflags --libs fisherman) -ladolc
#include <cmath>
#include <cstdio>

#include "fisherman/fit/gaussian.hpp"
#include "fisherman/model/adolc_target.hpp"

namespace {

constexpr double xs[] = {-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5};
constexpr double ys[] = {-3.1, -1.9, -1.2, 0.1, 1.1, 1.9, 3.2, 9.5, 4.9, 6.2};  // 9.5 is an outlier

/// Priors N(0, 10²) of a and b, and N(0, 1) of log s; errors of Student's t with 3 degrees of freedom and scale s.
struct Line {
  template <class T>
  T operator()(const std::vector<T>& theta) const {
    using std::exp;
    using std::log;
    const T a = theta[0], b = theta[1], log_s = theta[2];
    T out = -0.5 * (a * a + b * b) / 100.0 - 0.5 * log_s * log_s;
    for (int i = 0; i < 10; ++i) {
      const T u = (ys[i] - a - b * xs[i]) * exp(-log_s);
      out = out - log_s - 2.0 * log(1.0 + u * u / 3.0);
    }
    return out;
  }
};

}  // namespace

int main() {
  using namespace fisherman;
  const FunctionTarget target = adolc_target(3, Line{});
  const GaussianFit fit = fit_gaussian(target, DensitySettings{}, std::nullopt,
                                       [](ErasedRun& run) { return PlainDriver().drive(run); });
  std::printf("%s\n%ld gradients, Pareto k %.2f\n", fit.end.sentence.c_str(), long(fit.gradients),
              fit.ratios.k);
  const char* const names[] = {"a", "b", "log s"};
  for (Index k = 0; k < 3; ++k)
    std::printf("%-6s %6.3f ± %.3f\n", names[k], fit.q.mean(k), std::sqrt(fit.q.covariance(k, k)));
  // The outlier does not pull the line: least squares would have a slope of 2.4, the other points have 2.0.
  const bool right = fit.end.status == Status::converged && std::abs(fit.q.mean(1) - 2.05) < 0.1 &&
                     std::abs(fit.q.mean(0) - 1.0) < 0.15;
  return right ? 0 : 1;
}
