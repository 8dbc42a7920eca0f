#include <algorithm>
#include <array>
#include <charconv>

#include "fisherman/io/npy.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// The header is a Python dictionary with three keys, whose values are a string, a boolean and a
/// tuple of numbers. This reads no more of Python than that.
class Literal {
 public:
  Literal(const ByteSource& source, std::string_view text) : source_(source), rest_(text) {}

  /// Takes `token` if it comes next.
  bool take(std::string_view token) {
    const auto start = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(start, rest_.size()));
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token))
      fail(source_, "the .npy header has ", shown(rest_), " where ", shown(token), " belongs");
  }
  std::string string() {
    const std::string_view mark = take("\"") ? "\"" : "'";
    if (mark == "'") expect("'");
    const auto end = rest_.find(mark);
    if (end == std::string_view::npos) fail(source_, "a string in the .npy header has no end");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    if (take("True")) return true;
    expect("False");
    return false;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect("(");
    while (!take(")")) {
      take("");  // the spaces
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc())
        fail(source_, "the shape in the .npy header has ", shown(rest_), " where a size belongs");
      rest_.remove_prefix(std::size_t(end - rest_.data()));
      numbers.push_back(number);
      if (!take(",")) {
        expect(")");
        break;
      }
    }
    return numbers;
  }

 private:
  const ByteSource& source_;
  std::string_view rest_;
};

struct HeaderLength {
  std::size_t before, length;  // bytes before the header's text, and of it
};

/// Version 1 gives the header's length in two bytes, later ones in four; both little endian.
HeaderLength read_header_length(ByteSource& source) {
  std::array<unsigned char, 8> start{};
  if (source.read(start.data(), start.size()) != start.size() ||
      std::string_view(reinterpret_cast<const char*>(start.data()), 6) != "\x93NUMPY")
    fail(source, "this is not a NumPy .npy file");
  const int version = start[6];
  if (version < 1 || version > 3)
    fail(source, "format version ", version, " of .npy is not known; 1, 2 and 3 are");
  std::array<unsigned char, 4> bytes{};
  const std::size_t width = version == 1 ? 2 : 4;
  if (source.read(bytes.data(), width) != width) fail(source, "the .npy header is cut off");
  return {start.size() + width, bytes[0] + (std::size_t(bytes[1]) << 8) +
                                    (std::size_t(bytes[2]) << 16) + (std::size_t(bytes[3]) << 24)};
}

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  constexpr std::size_t longest = std::size_t(1) << 16;  // NumPy's own stay below 200 bytes
  const auto [before, length] = read_header_length(source);
  if (length > longest)
    fail(source, "the .npy header claims ", length, " bytes; more than ", longest,
         " cannot be right");
  std::string text(length, '\0');
  if (source.read(text.data(), length) != length) fail(source, "the .npy header is cut off");

  NpyHeader header;
  header.end = before + length;
  bool has_type = false, has_order = false, has_shape = false;
  Literal literal(source, text);
  literal.expect("{");
  while (!literal.take("}")) {
    const std::string key = literal.string();
    literal.expect(":");
    if (key == "descr") {
      if (literal.take("[")) fail(source, "arrays of records are not read; save plain numbers");
      header.type = literal.string();
      has_type = true;
    } else if (key == "fortran_order") {
      header.fortran_order = literal.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = literal.tuple();
      has_shape = true;
    } else {
      fail(source, "the .npy header has the unknown key ", shown(key));
    }
    if (!literal.take(",")) {
      literal.expect("}");
      break;
    }
  }
  if (!has_type) fail(source, "the .npy header lacks 'descr'");
  if (!has_order) fail(source, "the .npy header lacks 'fortran_order'");
  if (!has_shape) fail(source, "the .npy header lacks 'shape'");
  return header;
}

}  // namespace fisherman
