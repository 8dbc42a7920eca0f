// NumPy's .npy arrays, format versions 1 to 3.
#pragma once

#include <string>
#include <vector>

#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

struct NpyHeader {
  std::string type;  ///< NumPy's spelling, for example `<f8`
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Reads up to the first value.
NpyHeader read_npy_header(ByteSource& source);

/// A matrix, or a vector as one column, of `<f8`, `<f4`, `<i8`, `<i4`, `|u1` or `|b1`, in either
/// order; the columns are named f1, f2, … Throws FileError for anything else.
Table parse_npy(ByteSource& source, const ReadOptions& options = {});

/// A whole .npy file, version 1, type `<f8`, in Fortran order.
std::string npy_bytes(const ConstMatrixRef& x);

}  // namespace fisherman
