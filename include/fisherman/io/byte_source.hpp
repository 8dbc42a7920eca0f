// Where the readers get their bytes: a file, packed with gzip or not, or memory. One buffer of fixed
// size lies in between, so reading a file takes no memory that grows with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "fisherman/core/error.hpp"

struct gzFile_s;  // zlib's own name for what a gzFile points to

namespace fisherman {

class JoinedFiles;

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// What errors call it: the path, as it was given.
  const std::string& name() const { return name_; }

  /// The bytes at hand that were not consumed yet; empty at the end only.
  std::string_view window() {
    if (begin_ == end_) refill();
    return {buffer_.data() + begin_, end_ - begin_};
  }
  void consume(std::size_t count) { begin_ += count; }

  /// The next byte, or -1 at the end.
  int peek() { return window().empty() ? -1 : static_cast<unsigned char>(buffer_[begin_]); }
  int get() {
    const int byte = peek();
    if (byte >= 0) ++begin_;
    return byte;
  }
  /// Copies up to `size` bytes and says how many there were.
  std::size_t read(void* to, std::size_t size);
  /// Spreadsheets mark UTF-8 with three bytes at the front. They are no part of the text.
  void skip_byte_order_mark();

  /// No more bytes than this come in total: what a header claims is held against it before anything
  /// is allocated.
  virtual std::uint64_t at_most() const = 0;
  /// About how much has been read, from 0 to 1, so that the size of the rest can be foretold.
  virtual double fraction_read() const = 0;
  /// Passes over this number of bytes, or to the end.
  virtual void skip(std::uint64_t count);

  // Of a part of a file, for one rank (io/part_source.hpp):
  virtual bool is_part() const { return false; }
  /// Its first line is the first of the file, which belongs to another part.
  virtual bool has_borrowed_head() const { return false; }
  /// The line of the whole file.
  virtual Index line_in_file(Index line) const { return line; }
  /// "FILE, line 7", for a line of the whole file.
  virtual std::string place_in_file(Index line) const;
  /// Those that it reads, if they are several.
  virtual std::shared_ptr<const JoinedFiles> files() const { return nullptr; }

 protected:
  /// Forgets what is at hand and says how much that was.
  std::size_t drop_window() {
    const std::size_t count = end_ - begin_;
    begin_ = end_ = 0;
    return count;
  }

  explicit ByteSource(std::string name);

 private:
  virtual std::size_t fill(char* to, std::size_t size) = 0;
  void refill();

  std::string name_, buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

/// Bytes that are in memory already; the caller keeps them alive.
class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes)
      : ByteSource(std::move(name)), bytes_(bytes) {}
  std::uint64_t at_most() const override { return bytes_.size(); }
  double fraction_read() const override;

 private:
  std::size_t fill(char* to, std::size_t size) override;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// The path that stands for standard input. A file of this name is "./-".
inline constexpr const char* standard_input = "-";

/// What errors call a file: its path, or "standard input".
std::string name_of_file(const std::filesystem::path& path);

/// A file, or standard input. It is unpacked on the way if its first two bytes are gzip's, whatever its name.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path);
  std::uint64_t at_most() const override;
  double fraction_read() const override;
  void skip(std::uint64_t count) override;
  /// Of standard input, which nobody can read again: what file_checksum() says of a file that holds what has come so
  /// far. Otherwise empty.
  std::string checksum() const;

 private:
  std::size_t fill(char* to, std::size_t size) override;
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  std::unique_ptr<gzFile_s, Close> file_;
  std::uint64_t size_on_disk_ = 0;  // 0 if it is not known, as for a pipe
  bool is_standard_input_ = false;
  unsigned long crc_ = 0;  // of standard input
  std::uint64_t delivered_ = 0;
};

/// Blank lines in a row that a text file may have.
inline constexpr Index most_blank_lines = 1'000'000;

/// Throws FileError: the source's name, the line if there is one (they count from 1), and what is
/// wrong.
template <class... Parts>
[[noreturn]] void fail(const ByteSource& source, const Parts&... what) {
  throw FileError(sentence(source.name(), ": ", what...));
}
template <class... Parts>
[[noreturn]] void fail_at(const ByteSource& source, Index line, const Parts&... what) {
  throw FileError(sentence(source.place_in_file(source.line_in_file(line)), what...));
}

}  // namespace fisherman
