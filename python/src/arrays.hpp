// Between NumPy and Eigen. What goes out is handed over, not copied: NumPy keeps the Eigen object alive.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman::python {

namespace nb = nanobind;

/// Arrays that are read where they are, in any order: no conversion is made for them (arg.noconvert()).
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Labels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

inline Eigen::Map<const Matrix, 0, Strides> mapped(const Rows& a) {
  return {a.data(), Index(a.shape(0)), Index(a.shape(1)), Strides(a.stride(1), a.stride(0))};
}

/// The one copy: the design matrix is made in it. A few rows at a time, so that either order of the
/// array's numbers is walked in pieces that the cache holds.
inline Matrix copied(const Rows& a) {
  const auto from = mapped(a);
  Matrix out(from.rows(), from.cols());
  constexpr Index at_once = 64;
  for (Index first = 0; first < from.rows(); first += at_once) {
    const Index count = std::min(at_once, from.rows() - first);
    out.middleRows(first, count) = from.middleRows(first, count);
  }
  return out;
}

inline Vector copied(const Numbers& a) {
  return Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(a.data(), Index(a.shape(0)),
                                                           Eigen::InnerStride<>(a.stride(0)));
}

/// NumPy's array of numbers that `owner` keeps; strides in numbers, C order if there are none.
template <class T>
nb::object array(T* data, std::vector<std::size_t> shape, nb::handle owner,
                 const std::vector<std::int64_t>& strides = {}) {
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner,
                                            strides.empty() ? nullptr : strides.data()));
}

template <class M>
nb::capsule keeper(M* m) {
  return nb::capsule(m, [](void* p) noexcept { delete static_cast<M*>(p); });
}

inline nb::object array(Matrix m) {
  auto* const kept = new Matrix(std::move(m));
  return array(kept->data(), {std::size_t(kept->rows()), std::size_t(kept->cols())}, keeper(kept),
               {1, std::int64_t(kept->rows())});
}

inline nb::object array(Vector v) {
  auto* const kept = new Vector(std::move(v));
  return array(kept->data(), {std::size_t(kept->size())}, keeper(kept));
}

template <class T>
nb::object array(std::vector<T> v) {
  auto* const kept = new std::vector<T>(std::move(v));
  return array(kept->data(), {kept->size()}, keeper(kept));
}

}  // namespace fisherman::python
