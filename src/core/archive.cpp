#include "fisherman/core/archive.hpp"

#include <zlib.h>

#include <array>
#include <fstream>
#include <sstream>
#include <utility>

namespace fisherman {
namespace {

constexpr std::array<char, 8> magic = {'F', 'I', 'S', 'H', 'E', 'R', 'M', 'N'};
constexpr std::uint32_t version = 4;

std::uint32_t checksum(const std::string& bytes) {
  return std::uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw FileError(path.string() + ": " + what);
}

}  // namespace

void Writer::put(const std::string& text) {
  put(std::int64_t(text.size()));
  raw(text.data(), text.size());
}

std::string Reader::get_string() {
  const auto size = get<std::int64_t>();
  expect(size >= 0 && std::size_t(size) <= left());
  std::string text = bytes_.substr(at_, std::size_t(size));
  at_ += std::size_t(size);
  return text;
}

void Reader::expect(bool holds) {
  if (!holds) throw FileError("the checkpoint belongs to another kind of run, or to another size");
}

void write_checkpoint(const std::filesystem::path& path, const std::string& bytes) {
  Writer head;
  head.put(version);
  head.put(checksum(bytes));
  head.put(std::uint64_t(bytes.size()));
  write_file(path, std::string(magic.begin(), magic.end()) + head.bytes() + bytes);
}

std::string read_checkpoint(const std::filesystem::path& path) {
  // A device would be read until memory ends, and a pipe until somebody writes.
  std::error_code none;
  if (const auto status = std::filesystem::status(path, none);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail(path, "is not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot be opened");
  std::string start(magic.size() + 4 + 4 + 8, '\0');
  in.read(start.data(), std::streamsize(start.size()));
  if (std::size_t(in.gcount()) < start.size() ||
      !std::equal(magic.begin(), magic.end(), start.begin()))
    fail(path, "is not a checkpoint of Fisherman");
  Reader head(start.substr(magic.size()));
  if (const auto found = head.get<std::uint32_t>(); found != version)
    fail(path,
         sentence("has format version ", found, ", but this program reads version ", version));
  const auto sum = head.get<std::uint32_t>();
  const auto size = head.get<std::uint64_t>();
  // As the bytes come: nothing is allocated for a size that is a lie, nor read on in what never ends.
  std::string body, block(std::size_t(1) << 16, '\0');
  while (body.size() <= size) {
    in.read(block.data(), std::streamsize(block.size()));
    if (in.gcount() == 0) break;
    body.append(block.data(), std::size_t(in.gcount()));
  }
  if (body.size() != size || checksum(body) != sum)
    fail(path, "is damaged: its checksum does not match");
  return body;
}

}  // namespace fisherman
