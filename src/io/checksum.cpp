#include "fisherman/io/checksum.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>
#include <tuple>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/io/joined_files.hpp"
#include "fisherman/io/table_folder.hpp"

namespace fisherman {

namespace {

struct Sum {
  std::uint64_t crc = 0, bytes = 0;

  auto fields() { return std::tie(crc, bytes); }
  Sum& operator+=(const Sum& next) {
    crc = crc32_combine(uLong(crc), uLong(next.crc), z_off_t(next.bytes));
    bytes += next.bytes;
    return *this;
  }
};

/// Of the bytes [from, to) of a file, or those up to its end.
Sum sum_of_part(const std::filesystem::path& path, std::uint64_t from, std::uint64_t to) {
  std::ifstream in(path, std::ios::binary);
  if (!in || !in.seekg(std::streamoff(from))) throw FileError(path.string() + ": cannot be opened");
  std::vector<char> buffer(std::size_t(1) << 16);
  Sum out{crc32(0, nullptr, 0), 0};
  while (in && from + out.bytes < to) {
    in.read(buffer.data(),
            std::streamsize(std::min<std::uint64_t>(buffer.size(), to - from - out.bytes)));
    out.crc = crc32_z(uLong(out.crc), reinterpret_cast<const Bytef*>(buffer.data()),
                      z_size_t(in.gcount()));
    out.bytes += std::uint64_t(in.gcount());
  }
  if (in.bad()) throw FileError(path.string() + ": cannot be read to its end");
  return out;
}

/// The files whose bytes count. Throws FileError for what cannot be read again.
std::vector<std::string> files_that_count(const std::filesystem::path& path) {
  std::vector<std::string> out;
  for (std::filesystem::path file : files_named(path)) {
    if (std::filesystem::is_directory(file)) file /= table_description;
    // A pipe would be empty, or never end: whoever wants the checksum has read it already.
    std::error_code none;
    if (const auto status = std::filesystem::status(file, none);
        std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      throw FileError(file.string() +
                      ": is not a regular file (but a pipe, perhaps), so that it cannot be read "
                      "again; save what it holds in a file first");
    out.push_back(file.string());
  }
  return out;
}

std::string words(const std::vector<Sum>& sums) {
  std::string out;
  for (const Sum& sum : sums)
    out += (out.empty() ? "" : ", ") + checksum_text(uLong(sum.crc), sum.bytes);
  return out;
}

}  // namespace

std::string file_checksum(const std::filesystem::path& path) {
  std::vector<Sum> sums;
  for (const std::string& file : files_that_count(path))
    sums.push_back(sum_of_part(file, 0, std::numeric_limits<std::uint64_t>::max()));
  return words(sums);
}

std::string shared_file_checksum(const std::filesystem::path& path) {
  if (rank_count() == 1) return file_checksum(path);
  std::vector<Sum> sums;
  for (const std::string& file :
       from_first_rank(on_first_rank([&] { return files_that_count(path); }))) {
    const std::vector<Sum> parts = made_on_each_rank([&] {
      std::error_code none;
      const std::uint64_t size = std::filesystem::file_size(file, none);
      if (none) throw FileError(file + ": cannot be opened");
      const auto begin = [&](int rank) {
        return rank == rank_count() ? size
                                    : size / std::uint64_t(rank_count()) * std::uint64_t(rank);
      };
      return sum_of_part(file, begin(this_rank()), begin(this_rank() + 1));
    });
    sums.push_back(parts[0]);
    for (std::size_t r = 1; r < parts.size(); ++r) sums.back() += parts[r];
  }
  return words(sums);
}

std::string checksum_text(unsigned long crc, std::uint64_t bytes) {
  std::ostringstream text;
  text << "crc32:" << std::hex << std::setw(8) << std::setfill('0') << crc << std::dec
       << " bytes:" << bytes;
  return text.str();
}

}  // namespace fisherman
