#include "own_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string>
#include <thread>

#include "fisherman/core/error.hpp"
#include "fisherman/core/path_kind.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = "lock";

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(temporary_prefix) && name.size() == temporary_prefix.size() + 16 &&
         name.find_first_not_of("0123456789abcdef", temporary_prefix.size()) == std::string::npos;
}

void refuse_strangers(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != lock_name && !is_temporary(entry.path()))
      throw FileError(sentence(folder.string(), ": holds other files, such as ",
                               shown(entry.path().filename().string()),
                               "; choose a new folder or an empty one"));
}

/// What a process that was killed has left. Nobody else is writing, for we have the lock.
void remove_temporaries(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (is_temporary(entry.path())) fs::remove(entry.path(), ignored);
}

}  // namespace

OwnFolder::OwnFolder(const fs::path& folder, const std::function<bool()>& ours, Owner owner)
    : folder_(folder) {
  std::error_code error;
  made_ = fs::create_directories(folder, error);
  if (error) throw FileError(sentence(folder.string(), ": cannot be made: ", error.message()));
  if (!ours()) refuse_strangers(folder);
  const fs::path path = folder / lock_name;
  const bool shared = owner == Owner::children_too;
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | (shared ? 0 : O_CLOEXEC), 0666);
  if (lock_ < 0)
    throw FileError(sentence(path.string(), ": cannot be written: ", std::strerror(errno)));
  try {
    // Where the file system knows no locks we go on without.
    for (int tries = 0; flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++tries) {
      if (tries == (shared ? 200 : 0))
        throw FileError(folder.string() + ": another fisherman is at work in this folder");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (!ours()) refuse_strangers(folder);  // it may have become another's in the meantime
    remove_temporaries(folder);
  } catch (...) {
    close(lock_);
    throw;
  }
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  const bool alone = std::distance(fs::directory_iterator(folder_, ignored), {}) == 1;
  if (alone) fs::remove(folder_ / lock_name, ignored);
  if (alone && made_) fs::remove(folder_, ignored);  // if it is empty
  close(lock_);
}

}  // namespace fisherman::cli
