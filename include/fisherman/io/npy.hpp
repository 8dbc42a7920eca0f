// NumPy's .npy arrays, format versions 1 to 3.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
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

/// Writes an .npy file, row by row: how many rows there are need be known in the end only. Throws FileError for what cannot
/// be written, and if there is such a file already.
class NpyWriter {
 public:
  /// `type` in NumPy's spelling; 0 columns for an array of one dimension.
  NpyWriter(const std::filesystem::path& path, std::string type, Index columns);
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  /// Numbers of the type, in the order of rows.
  template <class T>
  void add(const T* numbers, std::size_t count) {
    put({reinterpret_cast<const char*>(numbers), count * sizeof(T)});
  }
  void finish(Index rows);

 private:
  void put(std::string_view bytes);
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::string type_;
  Index columns_;
  std::FILE* file_;
};

/// A whole .npy file, version 1, type `<f8`, in Fortran order.
std::string npy_bytes(const ConstMatrixRef& x);

}  // namespace fisherman
