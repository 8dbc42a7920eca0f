// NumPy's .npy arrays, format versions 1 to 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

struct NpyHeader {
  std::string type;  ///< NumPy's spelling, for example `<f8`
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t end = 0;  ///< where the values begin
};

/// Reads up to the first value.
NpyHeader read_npy_header(ByteSource& source);

/// Of a table: what a header claims, after it has been held against the file's real size. Throws FileError for an array that
/// is no table, and for numbers of a type that is not read.
struct NpySize {
  Index rows, columns;
  std::size_t value;  ///< bytes of a number
};
NpySize npy_size(const ByteSource& source, const NpyHeader& header);

/// use(T()) with the type of a header's numbers.
template <class Use>
auto with_npy_type(const NpyHeader& header, Use use) {
  if (header.type == "<f4") return use(float());
  if (header.type == "<i8") return use(std::int64_t());
  if (header.type == "<i4") return use(std::int32_t());
  if (header.type[0] == '|') return use(std::uint8_t());
  return use(double());
}

/// A matrix, or a vector as one column, of `<f8`, `<f4`, `<i8`, `<i4`, `|u1` or `|b1`, in either
/// order; the columns are named f1, f2, … Throws FileError for anything else.
Table parse_npy(ByteSource& source, const ReadOptions& options = {});

/// A whole .npy file, version 1, type `<f8`, in Fortran order.
std::string npy_bytes(const ConstMatrixRef& x);

}  // namespace fisherman
