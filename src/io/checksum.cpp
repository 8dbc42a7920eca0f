#include "fisherman/io/checksum.hpp"

#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/io/joined_files.hpp"
#include "fisherman/io/table_folder.hpp"

namespace fisherman {

std::string file_checksum(const std::filesystem::path& path) {
  if (const auto files = files_named(path); files.size() > 1) {
    std::string all;
    for (const auto& file : files) all += (all.empty() ? "" : ", ") + file_checksum(file);
    return all;
  }
  if (std::filesystem::is_directory(path)) return file_checksum(path / table_description);
  // A pipe would be empty, or never end: whoever wants the checksum has read it already.
  std::error_code none;
  if (const auto status = std::filesystem::status(path, none);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw FileError(path.string() +
                    ": is not a regular file (but a pipe, perhaps), so that it cannot be read "
                    "again; save what it holds in a file first");
  std::ifstream in(files_named(path)[0], std::ios::binary);
  if (!in) throw FileError(path.string() + ": cannot be opened");
  std::vector<char> buffer(std::size_t(1) << 16);
  uLong crc = crc32(0, nullptr, 0);
  std::uint64_t size = 0;
  do {
    in.read(buffer.data(), std::streamsize(buffer.size()));
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(buffer.data()), z_size_t(in.gcount()));
    size += std::uint64_t(in.gcount());
  } while (in);
  if (in.bad()) throw FileError(path.string() + ": cannot be read to its end");
  return checksum_text(crc, size);
}

std::string checksum_text(unsigned long crc, std::uint64_t bytes) {
  std::ostringstream text;
  text << "crc32:" << std::hex << std::setw(8) << std::setfill('0') << crc << std::dec
       << " bytes:" << bytes;
  return text.str();
}

}  // namespace fisherman
