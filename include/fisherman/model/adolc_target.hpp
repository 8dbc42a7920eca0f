// A target whose gradient nobody has to write: a function template is differentiated by ADOL-C (Debian: libadolc-dev). Link
// with -ladolc; nothing else of Fisherman needs it.
//
//   const auto f = [](const auto& x) { return -0.5 * (x[0] * x[0] + x[1] * x[1]); };
//   const FunctionTarget target = adolc_target(2, f);
//
// f takes a vector of numbers of any type, std::vector<T>, and returns a T. It may branch: it is recorded anew at each point.
#pragma once

#include <adolc/adolc.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "fisherman/model/target.hpp"

namespace fisherman {

template <class F>
FunctionTarget adolc_target(Index dimension, F f) {
  const auto guard =
      std::make_shared<std::mutex>();  // ADOL-C has one tape of a number in a program
  const auto values = [f](const Matrix& points) {
    Vector out(points.cols());
    for (Index k = 0; k < points.cols(); ++k)
      out(k) = f(std::vector<double>(points.col(k).begin(), points.col(k).end()));
    return out;
  };
  const auto gradients = [f, guard](const Matrix& points, Matrix& slopes) {
    constexpr short tape = 7;
    const std::lock_guard lock(*guard);
    Vector out(points.cols());
    for (Index k = 0; k < points.cols(); ++k) {
      std::vector<adouble> x(std::size_t(points.rows()));
      trace_on(tape);
      for (Index i = 0; i < points.rows(); ++i) x[std::size_t(i)] <<= points(i, k);
      adouble y = f(std::as_const(x));
      y >>= out(k);
      trace_off();
      const Vector at = points.col(k);
      Vector slope(points.rows());
      ::gradient(tape, int(points.rows()), at.data(), slope.data());
      slopes.col(k) = slope;
    }
    return out;
  };
  return {dimension, gradients, values};
}

}  // namespace fisherman
