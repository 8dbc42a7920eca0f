// Several files of text, one behind the other, as one: what a list of files or a pattern names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/io/file_bytes.hpp"

namespace fisherman {

/// The files that a text names: the file of this name if there is one, those that a pattern with *, ? or [ matches, in the
/// order of their names, or several with commas between them. Throws FileError for a pattern that no file matches.
std::vector<std::filesystem::path> files_named(const std::filesystem::path& text);

/// Bytes of several files. The last line of each ends, as if there were a line break, and with heads the first line that is
/// not blank is that of the first file alone: others must have the same.
class JoinedFiles {
 public:
  JoinedFiles(const std::vector<std::filesystem::path>& files, bool heads);

  std::size_t count() const { return files_.size(); }
  std::uint64_t size() const { return pieces_.empty() ? 0 : pieces_.back().end; }
  /// Where the head ends, and how many lines that is; 0 without.
  std::uint64_t head_end() const { return head_end_; }
  Index head_lines() const { return head_lines_; }
  /// Throws FileError if a file is shorter than it was.
  void read_at(std::uint64_t at, char* to, std::size_t size) const;
  /// body(byte, where it is) from one place to another, until it says false.
  template <class Body>
  void each_byte(std::uint64_t from, std::uint64_t to, const Body& body) const {
    std::vector<char> buffer(std::size_t(1) << 18);
    for (std::uint64_t at = from; at < to;) {
      const auto count = std::size_t(std::min<std::uint64_t>(buffer.size(), to - at));
      read_at(at, buffer.data(), count);
      for (std::size_t k = 0; k < count; ++k)
        if (!body(buffer[k], at + k)) return;
      at += count;
    }
  }
  /// "b.csv, line 7": where a line of all is, counted from 1. It takes a pass over what lies before it if there are several
  /// files.
  std::string place(Index line) const;

 private:
  struct Piece {  // of the bytes of all: those of a file from `begin` on, or a line break
    std::uint64_t first, end, begin;
    std::size_t file;
    bool line_break;
  };
  void add(std::size_t file, std::uint64_t begin);
  /// Where the first line that is not blank ends, and how many lines that is.
  struct Head {
    std::uint64_t end = 0;
    Index lines = 0;
    std::string text;  // of that line, without its end
  };
  static Head head_of(const FileBytes& file);

  bool several_;
  std::vector<FileBytes> files_;
  std::vector<Piece> pieces_;
  std::vector<Index> skipped_lines_;  // of each file, those that are left out
  std::uint64_t head_end_ = 0;
  Index head_lines_ = 0;
};

}  // namespace fisherman
