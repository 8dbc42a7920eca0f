#include "fisherman/io/idx.hpp"

#include <array>

namespace fisherman {
namespace {

std::uint64_t read_size(ByteSource& source) {
  std::array<unsigned char, 4> bytes{};
  if (source.read(bytes.data(), bytes.size()) != bytes.size())
    fail(source, "the IDX header is cut off");
  return (std::uint64_t(bytes[0]) << 24) + (std::uint64_t(bytes[1]) << 16) +
         (std::uint64_t(bytes[2]) << 8) + bytes[3];
}

struct IdxSize {
  std::uint64_t rows, columns;
  unsigned dimensions;
};

IdxSize read_header(ByteSource& source) {
  constexpr unsigned unsigned_bytes = 0x08;
  std::array<unsigned char, 4> start{};
  if (source.read(start.data(), start.size()) != start.size() || start[0] != 0 || start[1] != 0)
    fail(source, "this is not an IDX file");
  if (start[2] != unsigned_bytes)
    fail(source, "the IDX values are of type ", unsigned(start[2]),
         "; only unsigned bytes (type 8) can be read");
  const unsigned dimensions = start[3];
  if (dimensions < 1 || dimensions > 4)
    fail(source, "the IDX array has ", dimensions, " dimensions; 1 to 4 can be read");
  IdxSize size{read_size(source), 1, dimensions};
  for (unsigned k = 1; k < dimensions; ++k) {
    const std::uint64_t next = read_size(source);
    if (next == 0) size.rows = 0;
    // Held against the file's real size at once, so that the product cannot overflow.
    if (next != 0 && size.columns > source.at_most() / next)
      fail(source, "the IDX header claims more bytes than the file holds");
    size.columns *= next;
  }
  if (size.rows == 0 || size.columns == 0) fail(source, "the IDX array is empty");
  if (size.rows > source.at_most() / size.columns)
    fail(source, "the header claims ", size.rows, " rows of ", size.columns,
         " bytes, more than the file holds");
  return size;
}

}  // namespace

Table parse_idx(ByteSource& source, const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  const IdxSize size = read_header(source);
  const auto [first, count] = options.rows_to_read(Index(size.rows));
  require_fits(source, double(count), double(size.columns), options);
  Table table;
  table.x.resize(count, Index(size.columns));
  source.skip(std::uint64_t(first) * size.columns);
  Eigen::Matrix<unsigned char, 1, Eigen::Dynamic> row(table.x.cols());
  for (Index i = 0; i < table.x.rows(); ++i) {
    if (source.read(row.data(), size.columns) != size.columns)
      fail(source, "the file ends in row ", first + i + 1, " of the ", size.rows,
           " that its header claims");
    table.x.row(i) = row.cast<double>();
  }
  source.skip((size.rows - std::uint64_t(first + count)) * size.columns);
  if (source.peek() >= 0) fail(source, "there are more bytes than the header claims");
  table.names = numbered_names(table.x.cols());
  table.images = size.dimensions == 3;
  return table;
}

}  // namespace fisherman
