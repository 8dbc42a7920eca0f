#include "kept_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "fisherman/core/error.hpp"
#include "fisherman/io/checksum.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* work_prefix = "work-";

/// One process at a time makes a file, however it ends. The lock's file goes when the work is done.
class MakingLock {
 public:
  MakingLock(const fs::path& path, const std::function<void()>& waiting) : path_(path) {
    lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock_ < 0)
      throw FileError(sentence(path.string(), ": cannot be written: ", std::strerror(errno)));
    try {
      // Where the file system knows no locks we go on without: the rename is safe.
      while (flock(lock_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        if (waiting) waiting();
        std::this_thread::sleep_for(100ms);
      }
    } catch (...) {
      close(lock_);
      throw;
    }
  }
  MakingLock(const MakingLock&) = delete;
  MakingLock& operator=(const MakingLock&) = delete;
  ~MakingLock() {
    unlink(path_.c_str());  // whoever waits for it finds the file made, or makes it itself
    close(lock_);
  }

 private:
  fs::path path_;
  int lock_ = -1;
};

class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& parent) {
    std::string name = (parent / (std::string(work_prefix) + "XXXXXX")).string();
    const char* made = mkdtemp(name.data());
    if (!made)
      throw FileError(sentence(parent.string(), ": cannot be written: ", std::strerror(errno)));
    path_ = name;
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void make_private_folder(const fs::path& folder) {
  std::error_code error;
  const bool made = fs::create_directories(folder, error);
  if (error) throw FileError(sentence(folder.string(), ": cannot be made: ", error.message()));
  if (made) fs::permissions(folder, fs::perms::owner_all, error);  // its files are run
}

/// What processes that were killed have left.
void remove_old_work(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const bool work = entry.path().filename().string().starts_with(work_prefix);
    if (work && fs::file_time_type::clock::now() - entry.last_write_time(ignored) > 24h)
      fs::remove_all(entry.path(), ignored);
  }
}

void sync_to_disk(const fs::path& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool well = opened >= 0 && fsync(opened) == 0;
  const int why = errno;
  if (opened >= 0) close(opened);
  if (!well)
    throw FileError(sentence(file.string(), ": cannot be synced to disk: ", std::strerror(why)));
}

}  // namespace

fs::path kept_file(const fs::path& file, const std::function<fs::path(const fs::path&)>& make,
                   const std::function<void()>& waiting) {
  std::error_code error;
  if (fs::exists(file, error)) return file;
  const fs::path folder = file.parent_path();
  make_private_folder(folder);
  remove_old_work(folder);
  const MakingLock alone(file.string() + ".lock", waiting);
  if (fs::exists(file, error)) return file;
  const WorkFolder work(folder);
  const fs::path made = make(work.path());
  sync_to_disk(made);
  fs::rename(made, file, error);
  if (error) throw FileError(sentence(file.string(), ": cannot be written: ", error.message()));
  return file;
}

std::string content_key(std::initializer_list<std::string> parts) {
  std::string all;
  for (const std::string& part : parts) all += std::to_string(part.size()) + ":" + part;
  MemorySource source("key", all);
  return sha256(source);
}

}  // namespace fisherman
