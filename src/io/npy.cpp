#include "fisherman/io/npy.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "fisherman/io/text.hpp"
#include "table_format.hpp"

namespace fisherman {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are read as they lie in the file");

std::size_t size_of(const ByteSource& source, const std::string& type) {
  if (type == "<f8" || type == "<i8") return 8;
  if (type == "<f4" || type == "<i4") return 4;
  if (type == "|u1" || type == "|b1") return 1;
  fail(source, "the numbers are of type ", shown(type),
       "; <f8, <f4, <i8, <i4, |u1 and |b1 can be read");
}

template <class T>
void fill_all(ByteSource& source, bool fortran_order, Index first, Matrix& x) {
  const Index total = x.size(), step = fortran_order ? x.rows() : x.cols();
  std::vector<T> buffer(std::size_t(std::min<Index>(total, 8192)));
  Index outer = 0, inner = 0;
  for (Index done = 0; done < total;) {
    const std::size_t count = std::min(buffer.size(), std::size_t(total - done));
    if (source.read(buffer.data(), count * sizeof(T)) != count * sizeof(T))
      fail(source, "the file ends before the ", x.rows(), " rows and ", x.cols(),
           " columns that its header claims");
    for (std::size_t k = 0; k < count; ++k) {
      const Index row = fortran_order ? inner : outer, column = fortran_order ? outer : inner;
      x(row, column) = double(buffer[k]);
      if (!std::isfinite(x(row, column)))
        fail(source, "row ", first + row + 1, ", column ", column + 1,
             ": the value is not a finite number");
      if (++inner == step) {
        inner = 0;
        ++outer;
      }
    }
    done += Index(count);
  }
}

/// Goes through the values in the file's order, a small buffer at a time, straight into the matrix. Its rows are those from
/// `first` on of `all`.
template <class T>
void fill(ByteSource& source, bool fortran_order, Index first, Index all, Matrix& x) {
  if (x.rows() < all && fortran_order) {  // a column at a time
    for (Index j = 0; j < x.cols(); ++j) {
      Matrix column(x.rows(), 1);
      source.skip(std::uint64_t(first) * sizeof(T));
      fill_all<T>(source, true, first, column);
      x.col(j) = column;
      source.skip(std::uint64_t(all - first - x.rows()) * sizeof(T));
    }
  } else {
    source.skip(std::uint64_t(first * x.cols()) * sizeof(T));
    fill_all<T>(source, fortran_order, first, x);
    source.skip(std::uint64_t((all - first - x.rows()) * x.cols()) * sizeof(T));
  }
  if (source.peek() >= 0) fail(source, "there are more bytes than the header claims");
}

}  // namespace

NpySize npy_size(const ByteSource& source, const NpyHeader& header) {
  const std::size_t value = size_of(source, header.type);
  const auto& shape = header.shape;
  if (shape.empty() || shape.size() > 2)
    fail(source, "the array has ", shape.size(),
         " dimensions; a table has 2 (rows and columns), or 1");
  const std::uint64_t rows = shape[0], columns = shape.size() == 2 ? shape[1] : 1;
  if (rows == 0 || columns == 0)
    fail(source, "the array is empty: ", rows, " rows, ", columns, " columns");
  if (rows > source.at_most() / columns / value)
    fail(source, "the header claims ", rows, " rows and ", columns, " columns of ", value,
         " bytes, more than the file holds");
  return {Index(rows), Index(columns), value};
}

Table parse_npy(ByteSource& source, const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  const NpyHeader header = read_npy_header(source);
  const NpySize size = npy_size(source, header);
  const auto [first, count] = options.rows_to_read(size.rows);
  require_fits(source, double(count), double(size.columns), options);
  Table table;
  table.x.resize(count, size.columns);
  const bool fortran = header.fortran_order;
  with_npy_type(header, [&, from = first](auto type) {
    fill<decltype(type)>(source, fortran, from, size.rows, table.x);
  });
  table.names = names_of_columns(size.columns, options, source.name());
  return table;
}

namespace {

/// Bytes of version 1, up to the first value, which begins at a multiple of 64; at least `least` of them.
std::string header_bytes(std::string text, std::size_t least = 0) {
  text.append(64 - (10 + text.size() + 1) % 64, ' ');
  if (10 + text.size() + 1 < least) text.append(least - (10 + text.size() + 1), ' ');
  text += '\n';
  std::string out = "\x93NUMPY";
  out += {'\x01', '\x00', char(text.size() & 0xFF), char(text.size() >> 8)};
  return out + text;
}

constexpr std::size_t written_header = 128;  // room for any number of rows

}  // namespace

NpyWriter::NpyWriter(const std::filesystem::path& path, std::string type, Index columns)
    : path_(path),
      type_(std::move(type)),
      columns_(columns),
      file_(std::fopen(path.c_str(), "wbx")) {
  if (file_ == nullptr) fail();
  put(std::string(written_header, ' '));
}

NpyWriter::~NpyWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void NpyWriter::fail() const {
  throw FileError(sentence(path_.string(), ": cannot be written: ", std::strerror(errno)));
}

void NpyWriter::put(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void NpyWriter::finish(Index rows) {
  const std::string shape =
      columns_ > 0 ? sentence("(", rows, ", ", columns_, ")") : sentence("(", rows, ",)");
  std::rewind(file_);
  put(header_bytes(
      sentence("{'descr': '", type_, "', 'fortran_order': False, 'shape': ", shape, ", }"),
      written_header));
  const bool well = std::fflush(file_) == 0 && ::fsync(::fileno(file_)) == 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0 || !well) fail();
}

std::string npy_bytes(const ConstMatrixRef& x) {
  std::string out = header_bytes(sentence("{'descr': '<f8', 'fortran_order': True, 'shape': (",
                                          x.rows(), ", ", x.cols(), "), }"));
  for (Index j = 0; j < x.cols(); ++j)
    out.append(reinterpret_cast<const char*>(x.col(j).data()), std::size_t(x.rows()) * 8);
  return out;
}

}  // namespace fisherman
