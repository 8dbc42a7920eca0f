#include "checksums.hpp"

#include <fstream>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/checksum.hpp"

namespace fisherman::cli {
namespace {

std::string sum_of(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none))  // a device may never end
    throw FileError(file.string() + ": is not a regular file");
  FileSource source(file);
  return sha256(source);
}

}  // namespace

Checksums Checksums::read(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / file_name;
  std::ifstream in(path);
  if (!in)
    throw FileError(sentence(folder.string(), ": holds no ", file_name,
                             ", so its fit has not ended, or was made before there were such "
                             "files; the same command with --resume goes on with it"));
  Checksums out;
  out.folder_ = folder;
  constexpr std::size_t digits = 64, longest = 200;
  // Of a bounded length, whatever somebody has put there.
  for (char line[longest]; in.getline(line, longest);) {
    const std::string text = line;
    const bool whole = text.size() > digits + 2 && text.substr(digits, 2) == "  " &&
                       text.find_first_not_of("0123456789abcdef") == digits &&
                       text.find('/') == std::string::npos;
    if (!whole) throw FileError(path.string() + ": is damaged; the fit has to be made again");
    out.sums_[text.substr(digits + 2)] = text.substr(0, digits);
  }
  if (!in.eof()) throw FileError(path.string() + ": is damaged; the fit has to be made again");
  return out;
}

void Checksums::write(const std::filesystem::path& folder, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += sum_of(folder / name) + "  " + name + "\n";
  write_file(folder / file_name, out);
}

std::filesystem::path Checksums::verified(const std::string& name) const {
  const std::filesystem::path path = folder_ / name;
  const auto listed = sums_.find(name);
  if (listed == sums_.end())
    throw FileError(sentence(path.string(), ": is not listed in ", file_name,
                             ", so it is not what the fit has left there"));
  if (sum_of(path) != listed->second)
    throw FileError(sentence(path.string(),
                             ": has changed since the fit: its SHA-256 is not the "
                             "one in ",
                             file_name));
  return path;
}

std::vector<std::filesystem::path> Checksums::paths() const {
  std::vector<std::filesystem::path> out;
  for (const auto& [name, sum] : sums_) out.push_back(folder_ / name);
  return out;
}

}  // namespace fisherman::cli
