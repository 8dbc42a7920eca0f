// The parts of the module, and what they share.
#pragma once

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "fisherman/app/logistic.hpp"

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

/// What was done to the columns, from and to the attributes of an estimator.
Preparation preparation_of(const Numbers& shift, const Numbers& scale, bool intercept);
void put_preparation(nb::dict& result, const Preparation& preparation);

}  // namespace fisherman::python
