// A folder that is ours to write into: one that was empty when we came, or that we have made before. One process at a
// time owns it.
#pragma once

#include <filesystem>
#include <functional>

namespace fisherman::cli {

/// Whether the processes that we start own the folder with us, until the last of them has ended. Then we wait two seconds for
/// the lock, because they end a moment after a parent that was killed.
enum class Owner { this_process, children_too };

class OwnFolder {
 public:
  /// Makes the folder if there is none. Throws FileError if it holds something and is not `ours`, or if another
  /// process owns it. The file `lock` in it is locked while this lives, however the process ends; if nothing else has
  /// come into the folder by then, it is removed, and so is the folder if we have made it.
  OwnFolder(const std::filesystem::path& folder, const std::function<bool()>& ours,
            Owner owner = Owner::this_process);
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder();

 private:
  std::filesystem::path folder_;
  bool made_;  // by us
  int lock_ = -1;
};

}  // namespace fisherman::cli
