// The parts of the module, and what they share.
#pragma once

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "fisherman/fit/logistic.hpp"

namespace fisherman::python {

void bind_logistic(nb::module_& m);
void bind_reduced_rank(nb::module_& m);
void bind_flow(nb::module_& m);
void bind_vi(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_minimize(nb::module_& m);

inline auto as_labels(const Labels& y) {
  return Eigen::Map<const Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>>(y.data(),
                                                                          Index(y.shape(0)));
}

/// A name for each column, and a label for each row.
inline void require_table(const Rows& x, const Labels& y, const std::vector<std::string>& names) {
  require(names.size() == x.shape(1), "there are ", x.shape(1), " columns, but ", names.size(),
          " names");
  require(y.shape(0) == x.shape(0), "there are ", x.shape(0), " rows, but ", y.shape(0), " labels");
}

/// Throws Misuse unless the sizes go together.
GaussianPoint gaussian_of(const Numbers& mean, const Rows& covariance);

inline void require_count(Index count) {
  require(count > 0, "the number of draws is ", count, ", but must be positive");
}

/// What was done to the columns, from and to the attributes of an estimator.
Preparation preparation_of(const Numbers& shift, const Numbers& scale, bool intercept);
void put_preparation(nb::dict& result, const Preparation& preparation);

}  // namespace fisherman::python
