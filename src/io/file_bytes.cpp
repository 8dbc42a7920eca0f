#include "fisherman/io/file_bytes.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fisherman/core/error.hpp"
#include "fisherman/io/byte_source.hpp"

namespace fisherman {

void allow_open_files(std::size_t count) {
  constexpr rlim_t others = 256;  // what the program has open besides
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + others) return;
  limit.rlim_cur = std::min<rlim_t>(count + others, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

FileBytes::FileBytes(const std::filesystem::path& path)
    : name_(name_of_file(path)), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat now {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &now) != 0) {
    const int code = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw FileError(sentence(name_, ": cannot be opened: ", std::strerror(code)));
  }
  size_ = std::uint64_t(now.st_size);
}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

void FileBytes::read_at(std::uint64_t at, void* to, std::size_t size) const {
  auto* next = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t count = ::pread(descriptor_, next, size, off_t(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(sentence(name_, ": cannot be read: ", std::strerror(errno)));
    if (count == 0)
      throw FileError(sentence(name_, ": is shorter than it was; somebody changes it"));
    next += count;
    at += std::uint64_t(count);
    size -= std::size_t(count);
  }
}

void FileBytes::announce(std::uint64_t at, std::uint64_t size) const {
  ::posix_fadvise(descriptor_, off_t(at), off_t(size), POSIX_FADV_WILLNEED);
}

}  // namespace fisherman
