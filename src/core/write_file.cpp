
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <utility>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/path_kind.hpp"
#include "hold_signals.hpp"

namespace fisherman {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw FileError(path.string() + ": " + why);
}

[[noreturn]] void trouble(const std::filesystem::path& path, const char* what) {
  refuse(path, sentence(what, ": ", std::strerror(errno)));
}

/// An open file that closes itself; `path` is what errors name.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int descriptor)
      : path_(path), descriptor_(descriptor) {
    if (descriptor_ < 0) trouble(path_, "cannot be opened");
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  void write(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t done = ::write(descriptor_, bytes.data() + at, bytes.size() - at);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) trouble(path_, "cannot be written");
      at += std::size_t(done);
    }
  }
  /// Owner, if we may give files away, and permissions.
  void become_like(const struct stat& other) {
    struct stat own = {};
    if (fstat(descriptor_, &own) != 0) trouble(path_, "cannot be written");
    if (own.st_uid != other.st_uid || own.st_gid != other.st_gid)
      if (fchown(descriptor_, other.st_uid, other.st_gid) != 0) errno = 0;  // then it is ours
    if (fchmod(descriptor_, other.st_mode & 0777) != 0) trouble(path_, "cannot be written");
  }
  void sync() {
    if (::fsync(descriptor_) != 0) trouble(path_, "cannot be synced to disk");
  }
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) trouble(path_, "cannot be closed");
  }

 private:
  const std::filesystem::path& path_;
  int descriptor_;
};

/// A name that nobody can foresee. These bits are no part of any result.
std::filesystem::path random_name(const std::filesystem::path& folder) {
  std::uint64_t bits = 0;
  if (getentropy(&bits, sizeof bits) != 0) trouble(folder, "no random name for a file");
  std::ostringstream name;
  name << temporary_prefix << std::hex << std::setw(16) << std::setfill('0') << bits;
  return folder / name.str();
}

bool is_standard_output(const struct stat& there) {
  struct stat ours = {};
  return fstat(STDOUT_FILENO, &ours) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

using Pieces = std::function<std::string()>;

void write_pieces(OpenFile& file, const Pieces& next) {
  for (std::string piece = next(); !piece.empty(); piece = next()) file.write(piece);
}

void write_stream(const std::filesystem::path& path, const Pieces& next) {
  struct stat there = {};
  const bool ours = stat(path.c_str(), &there) == 0 && is_standard_output(there);
  OpenFile file(path, ours ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                           : ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  write_pieces(file, next);
  file.close();
}

}  // namespace

PathKind path_kind(const std::filesystem::path& path) {
  struct stat there = {};
  if (lstat(path.c_str(), &there) != 0) {
    if (errno == ENOENT) return PathKind::nothing;
    trouble(path, "cannot be written");
  }
  const bool link = S_ISLNK(there.st_mode);
  if (link && stat(path.c_str(), &there) != 0) refuse(path, "is a symbolic link to nothing");
  if (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode) || S_ISSOCK(there.st_mode) ||
      is_standard_output(there))
    return PathKind::stream;
  if (S_ISDIR(there.st_mode)) refuse(path, "is a folder, but must be a file");
  if (link)
    refuse(path, "is a symbolic link, which is not followed; name the file that it points to");
  if (!S_ISREG(there.st_mode)) refuse(path, "is a disk, which is not written to");
  return PathKind::file;
}

void sync_folder(const std::filesystem::path& folder) {
  OpenFile(folder, ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)).sync();
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  bool given = false;
  write_file(path, [&] { return std::exchange(given, true) ? std::string() : bytes; });
}

void write_file(const std::filesystem::path& path, const Pieces& next) {
  const PathKind target = path_kind(path);
  if (target == PathKind::stream) return write_stream(path, next);
  struct stat replaced = {};
  const bool replaces = target == PathKind::file && lstat(path.c_str(), &replaced) == 0;
  // The folder's permissions let us rename over a file that its own protect.
  if (replaces && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    trouble(path, "cannot be replaced");

  const HoldSignals until_the_end;  // in the middle they would leave the temporary file
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::filesystem::path temporary = random_name(folder);
  OpenFile file(path,
                ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       replaces ? 0600 : 0666));
  try {
    if (replaces) file.become_like(replaced);
    write_pieces(file, next);
    file.sync();
    file.close();
    if (rename(temporary.c_str(), path.c_str()) != 0) trouble(path, "cannot be replaced");
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder);
}

}  // namespace fisherman
