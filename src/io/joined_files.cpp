#include "fisherman/io/joined_files.hpp"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fisherman/core/error.hpp"
#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {

std::vector<std::filesystem::path> files_named(const std::filesystem::path& text) {
  const std::string words = text.string();
  std::error_code none;
  if (words == standard_input || std::filesystem::exists(text, none)) return {text};
  if (words.find_first_of("*?[") != std::string::npos) {
    glob_t found{};
    const int code = ::glob(words.c_str(), 0, nullptr, &found);
    std::vector<std::filesystem::path> out(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (code != 0 || out.empty()) throw FileError(words + ": no file has such a name");
    return out;
  }
  std::vector<std::filesystem::path> out;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(',', at), words.size());
    if (end == at) return {text};  // no list: the error names it as it is
    out.emplace_back(words.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

JoinedFiles::JoinedFiles(const std::vector<std::filesystem::path>& files, bool heads)
    : several_(files.size() > 1) {
  files_.reserve(files.size());
  Head first;
  for (const std::filesystem::path& path : files) {
    OpenFile& file = files_.emplace_back(
        OpenFile{name_of_file(path), ::open(path.c_str(), O_RDONLY | O_CLOEXEC), 0});
    if (file.descriptor < 0)
      throw FileError(sentence(file.name, ": cannot be opened: ", std::strerror(errno)));
    file.size = std::uint64_t(std::filesystem::file_size(path));
    const std::size_t k = files_.size() - 1;
    const Head head = heads ? head_of(file) : Head();
    if (k == 0) {
      first = head;
      head_end_ = head.end;
      head_lines_ = head.lines;
    } else if (head.text != first.text) {
      throw FileError(sentence(file.name, ": has another first line than ", files_[0].name));
    }
    skipped_lines_.push_back(k == 0 ? 0 : head.lines);
    add(k, k == 0 ? 0 : head.end);
  }
}

JoinedFiles::~JoinedFiles() {
  for (const OpenFile& file : files_)
    if (file.descriptor >= 0) ::close(file.descriptor);
}

void JoinedFiles::add(std::size_t file, std::uint64_t begin) {
  const std::uint64_t bytes = files_[file].size - begin;
  if (bytes == 0) return;
  pieces_.push_back({size(), size() + bytes, begin, file, false});
  char last = '\n';
  if (several_) read_file(files_[file], files_[file].size - 1, &last, 1);
  if (last != '\n') pieces_.push_back({size(), size() + 1, 0, file, true});
}

void JoinedFiles::read_file(const OpenFile& file, std::uint64_t at, char* to,
                            std::size_t size) const {
  while (size > 0) {
    const ssize_t count = ::pread(file.descriptor, to, size, off_t(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(sentence(file.name, ": cannot be read: ", std::strerror(errno)));
    if (count == 0)
      throw FileError(sentence(file.name, ": is shorter than it was; somebody changes it"));
    to += count;
    at += std::uint64_t(count);
    size -= std::size_t(count);
  }
}

void JoinedFiles::read_at(std::uint64_t at, char* to, std::size_t size) const {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                                [](std::uint64_t place, const Piece& p) { return place < p.end; });
  while (size > 0) {
    const auto count = std::size_t(std::min<std::uint64_t>(size, piece->end - at));
    if (piece->line_break)
      *to = '\n';
    else
      read_file(files_[piece->file], piece->begin + (at - piece->first), to, count);
    to += count;
    at += count;
    size -= count;
    ++piece;
  }
}

JoinedFiles::Head JoinedFiles::head_of(const OpenFile& file) const {
  Head out{file.size, 0, {}};
  bool inside = false, blank = true;
  std::vector<char> buffer(std::size_t(1) << 16);
  for (std::uint64_t at = 0; at < file.size;) {
    const auto count = std::size_t(std::min<std::uint64_t>(buffer.size(), file.size - at));
    read_file(file, at, buffer.data(), count);
    for (std::size_t k = 0; k < count; ++k) {
      const char c = buffer[k];
      if (c == '"') inside = !inside;
      if (c == '\n') ++out.lines;
      if (c == '\n' && !inside && !blank) {
        out.end = at + k + 1;
        if (!out.text.empty() && out.text.back() == '\r') out.text.pop_back();
        constexpr std::string_view mark = "\xEF\xBB\xBF";
        if (out.text.compare(0, mark.size(), mark) == 0) out.text.erase(0, mark.size());
        return out;
      }
      if (c != '\n' && c != '\r' && c != ' ' && c != '\t') blank = false;
      if (!blank) out.text += c;
    }
    at += count;
  }
  return out;
}

std::string JoinedFiles::place(Index line) const {
  if (files_.size() == 1) return sentence(files_[0].name, ", line ", line);
  Index before = 0, in_file = 0;  // lines of all that end before this file, and in it so far
  std::size_t file = 0;
  for (const Piece& piece : pieces_) {
    if (piece.file != file) {
      before += in_file;
      in_file = 0;
      file = piece.file;
    }
    each_byte(piece.first, piece.end, [&](char c, std::uint64_t) {
      if (c == '\n') ++in_file;
      return before + in_file < line;
    });
    if (before + in_file >= line) break;
  }
  return sentence(files_[file].name, ", line ", line - before + skipped_lines_[file]);
}

}  // namespace fisherman
