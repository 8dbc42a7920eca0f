#include "fisherman/io/joined_files.hpp"

#include <glob.h>

#include <algorithm>

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
  allow_open_files(files.size());
  files_.reserve(files.size());
  Head first;
  for (const std::filesystem::path& path : files) {
    const FileBytes& file = files_.emplace_back(path);
    const std::size_t k = files_.size() - 1;
    const Head head = heads ? head_of(file) : Head();
    if (k == 0) {
      first = head;
      head_end_ = head.end;
      head_lines_ = head.lines;
    } else if (head.text != first.text) {
      throw FileError(sentence(file.name(), ": has another first line than ", files_[0].name()));
    }
    skipped_lines_.push_back(k == 0 ? 0 : head.lines);
    add(k, k == 0 ? 0 : head.end);
  }
}

void JoinedFiles::add(std::size_t file, std::uint64_t begin) {
  const std::uint64_t bytes = files_[file].size() - begin;
  if (bytes == 0) return;
  pieces_.push_back({size(), size() + bytes, begin, file, false});
  char last = '\n';
  if (several_) files_[file].read_at(files_[file].size() - 1, &last, 1);
  if (last != '\n') pieces_.push_back({size(), size() + 1, 0, file, true});
}

void JoinedFiles::read_at(std::uint64_t at, char* to, std::size_t size) const {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                                [](std::uint64_t place, const Piece& p) { return place < p.end; });
  while (size > 0) {
    const auto count = std::size_t(std::min<std::uint64_t>(size, piece->end - at));
    if (piece->line_break)
      *to = '\n';
    else
      files_[piece->file].read_at(piece->begin + (at - piece->first), to, count);
    to += count;
    at += count;
    size -= count;
    ++piece;
  }
}

JoinedFiles::Head JoinedFiles::head_of(const FileBytes& file) {
  Head out{file.size(), 0, {}};
  bool inside = false, blank = true;
  std::vector<char> buffer(std::size_t(1) << 16);
  for (std::uint64_t at = 0; at < file.size();) {
    const auto count = std::size_t(std::min<std::uint64_t>(buffer.size(), file.size() - at));
    file.read_at(at, buffer.data(), count);
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
  if (files_.size() == 1) return sentence(files_[0].name(), ", line ", line);
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
  return sentence(files_[file].name(), ", line ", line - before + skipped_lines_[file]);
}

}  // namespace fisherman
