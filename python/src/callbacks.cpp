#include "callbacks.hpp"

#include <nanobind/stl/string.h>

#include <numeric>

namespace fisherman::python {
namespace {

using AnyArray = nb::ndarray<const double, nb::device::cpu>;

std::size_t size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
}

AnyArray array_of(nb::handle value, const char* what, const std::string& wanted) {
  AnyArray out;
  if (!nb::try_cast(value, out)) {
    const std::string type = nb::cast<std::string>(value.type().attr("__name__"));
    throw Misuse(sentence(what, " is a ", type, ", but must be a float array of shape ", wanted));
  }
  return out;
}

Shape shape_of(const AnyArray& a) {
  Shape out;
  for (std::size_t k = 0; k < a.ndim(); ++k) out.push_back(a.shape(k));
  return out;
}

/// Numbers in order of the first index fastest, from dimension `from` on.
void gather(const AnyArray& a, std::size_t from, const double* data, double* out) {
  Shape at(a.ndim(), 0);
  const Shape shape = shape_of(a);
  const std::size_t count = size_of(Shape(shape.begin() + std::ptrdiff_t(from), shape.end()));
  for (std::size_t n = 0; n < count; ++n) {
    std::int64_t offset = 0;
    for (std::size_t k = from; k < shape.size(); ++k) offset += std::int64_t(at[k]) * a.stride(k);
    out[n] = data[offset];
    for (std::size_t k = from; k < shape.size() && ++at[k] == shape[k]; ++k) at[k] = 0;
  }
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> out;
  std::int64_t stride = 1;
  for (const std::size_t n : shape) {
    out.push_back(stride);
    stride *= std::int64_t(n);
  }
  return out;
}

}  // namespace

std::string text(const Shape& shape) {
  std::string out = "(";
  for (const std::size_t n : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(n);
  return out + (shape.size() == 1 ? ",)" : ")");
}

Vector flat(nb::handle value, const Shape& shape, const char* what) {
  const AnyArray a = array_of(value, what, text(shape));
  require(shape_of(a) == shape, what, " has shape ", text(shape_of(a)), ", but must have ",
          text(shape));
  Vector out(static_cast<Index>(size_of(shape)));
  gather(a, 0, a.data(), out.data());
  return out;
}

Matrix flat_rows(nb::handle value, const Shape& shape, const char* what) {
  std::string wanted = text(shape);
  wanted.replace(0, 1, "(b, ");
  const AnyArray a = array_of(value, what, wanted);
  const Shape found = shape_of(a);
  require(!found.empty() && found[0] > 0 && Shape(found.begin() + 1, found.end()) == shape, what,
          " has shape ", text(found), ", but must have ", wanted, " with b > 0");
  Matrix out(static_cast<Index>(size_of(shape)), static_cast<Index>(found[0]));
  for (Index k = 0; k < out.cols(); ++k)
    gather(a, 1, a.data() + k * a.stride(0), out.data() + k * out.rows());
  return out;
}

nb::object shaped(Vector numbers, const Shape& shape) {
  auto* const kept = new Vector(std::move(numbers));
  return array(kept->data(), shape, keeper(kept), strides_of(shape));
}

nb::object shaped_rows(Matrix columns, const Shape& shape) {
  auto* const kept = new Matrix(std::move(columns));
  std::vector<std::int64_t> strides = strides_of(shape);
  Shape with_rows = shape;
  strides.insert(strides.begin(), kept->rows());
  with_rows.insert(with_rows.begin(), std::size_t(kept->cols()));
  return array(kept->data(), with_rows, keeper(kept), strides);
}

}  // namespace fisherman::python
