#include "fisherman/io/byte_source.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "fisherman/io/checksum.hpp"

namespace fisherman {
namespace {

constexpr std::size_t buffer_size = std::size_t(1) << 16;
constexpr std::uint64_t deflate_ratio = 1032;  // deflate packs no tighter than this (zlib's manual)
constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

}  // namespace

ByteSource::ByteSource(std::string name) : name_(std::move(name)), buffer_(buffer_size, '\0') {}

void ByteSource::refill() {
  begin_ = 0;
  end_ = fill(buffer_.data(), buffer_.size());
}

std::size_t ByteSource::read(void* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size && !window().empty()) {
    const std::size_t count = std::min(size - done, end_ - begin_);
    std::memcpy(static_cast<char*>(to) + done, buffer_.data() + begin_, count);
    consume(count);
    done += count;
  }
  return done;
}

std::string ByteSource::place_in_file(Index line) const { return sentence(name_, ", line ", line); }

void ByteSource::skip(std::uint64_t count) {
  while (count > 0 && !window().empty()) {
    const auto some = std::size_t(std::min<std::uint64_t>(count, end_ - begin_));
    consume(some);
    count -= some;
  }
}

void ByteSource::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (window().substr(0, mark.size()) == mark) consume(mark.size());
}

double MemorySource::fraction_read() const {
  return bytes_.empty() ? 1.0 : double(at_) / double(bytes_.size());
}

std::size_t MemorySource::fill(char* to, std::size_t size) {
  const std::size_t count = std::min(size, bytes_.size() - at_);
  bytes_.copy(to, count, at_);
  at_ += count;
  return count;
}

void FileSource::Close::operator()(gzFile_s* file) const { gzclose(file); }

std::string name_of_file(const std::filesystem::path& path) {
  return path == standard_input ? "standard input" : path.string();
}

FileSource::FileSource(const std::filesystem::path& path)
    : ByteSource(name_of_file(path)), is_standard_input_(path == standard_input) {
  if (is_standard_input_) {
    const int descriptor =
        ::dup(STDIN_FILENO);  // closed with the source, and standard input is not
    if (descriptor >= 0) file_.reset(gzdopen(descriptor, "rb"));
    if (!file_) fail(*this, "cannot be read: ", std::strerror(errno != 0 ? errno : ENOMEM));
    return;
  }
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) fail(*this, "is a folder, not a file");
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) fail(*this, "cannot be opened: ", std::strerror(errno != 0 ? errno : ENOMEM));
  if (std::filesystem::is_regular_file(path, none)) {
    const auto size = std::filesystem::file_size(path, none);
    if (!none) size_on_disk_ = size;
  }
}

std::uint64_t FileSource::at_most() const {
  if (size_on_disk_ == 0) return unknown;
  if (gzdirect(file_.get())) return size_on_disk_;
  return size_on_disk_ > unknown / deflate_ratio ? unknown : size_on_disk_ * deflate_ratio;
}

double FileSource::fraction_read() const {
  const auto offset = gzoffset(file_.get());
  if (size_on_disk_ == 0 || offset <= 0) return 1.0;
  return std::min(1.0, double(offset) / double(size_on_disk_));
}

void FileSource::skip(std::uint64_t count) {
  if (is_standard_input_ || gzdirect(file_.get()) == 0) return ByteSource::skip(count);
  const std::size_t ahead = drop_window();  // zlib is so far ahead of us
  if (gzseek(file_.get(), z_off_t(count) - z_off_t(ahead), SEEK_CUR) < 0)
    fail(*this, "cannot be read: ", std::strerror(errno));
}

std::string FileSource::checksum() const {
  return is_standard_input_ ? checksum_text(crc_, delivered_) : "";
}

std::size_t FileSource::fill(char* to, std::size_t size) {
  const int count = gzread(file_.get(), to, unsigned(size));
  if (is_standard_input_ && count > 0) {
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(to), z_size_t(count));
    delivered_ += std::uint64_t(count);
  }
  if (count == int(size)) return size;
  // Fewer bytes than asked for: the end, or trouble. zlib says which only on this question.
  int code = Z_OK;
  const char* message = gzerror(file_.get(), &code);
  if (code == Z_BUF_ERROR) fail(*this, "the gzip data ends too early; the file has been cut off");
  if (code == Z_ERRNO) fail(*this, "cannot be read: ", std::strerror(errno));
  if (code != Z_OK && code != Z_STREAM_END) fail(*this, "the gzip data is damaged: ", message);
  return std::size_t(std::max(count, 0));
}

}  // namespace fisherman
