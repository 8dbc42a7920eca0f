#include "bridge.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;

void print_to_standard_error(const char* text, std::size_t size) {
  std::fwrite(text, 1, size, stderr);
}

using FileIdentity = std::tuple<dev_t, ino_t, off_t, time_t, long>;

FileIdentity identity_of(const fs::path& file) {
  struct stat there = {};
  require(stat(file.c_str(), &there) == 0, file.string(), ": ", std::strerror(errno));
  require(S_ISREG(there.st_mode), file.string(), ": is not a file, so it is no compiled model");
  return {there.st_dev, there.st_ino, there.st_size, there.st_mtim.tv_sec, there.st_mtim.tv_nsec};
}

void* open_library(const fs::path& file, const fs::path& named) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  require(handle, named.string(),
          ": cannot be loaded as a compiled model: ", handle ? "" : dlerror());
  return handle;
}

/// The loader knows files by name and would return the old code, so it gets another name.
void* open_copy(const fs::path& file) {
  std::string copy = (fs::temp_directory_path() / "fisherman-model-XXXXXX").string();
  const char* made = mkdtemp(copy.data());
  require(made, file.string(), ": cannot be copied in order to load it again");
  const fs::path folder = copy, again = folder / file.filename();
  struct Remove {
    const fs::path& folder;
    ~Remove() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);  // what is loaded stays loaded
    }
  } at_the_end{folder};
  std::error_code error;
  fs::copy_file(file, again, error);
  require(!error, file.string(), ": cannot be copied in order to load it again: ", error.message());
  return open_library(again, file);
}

void* handle_of(const fs::path& file) {
  static std::mutex mutex;
  static std::map<fs::path, std::pair<FileIdentity, void*>> loaded;
  const std::lock_guard<std::mutex> one_at_a_time(mutex);
  const FileIdentity now = identity_of(file);
  const fs::path path = fs::canonical(file);
  const auto before = loaded.find(path);
  if (before != loaded.end() && before->second.first == now) return before->second.second;
  void* handle = before == loaded.end() ? open_library(path, file) : open_copy(path);
  loaded[path] = {now, handle};
  return handle;
}

void require_version(void* handle, const fs::path& library) {
  const auto* major = static_cast<const int*>(dlsym(handle, "bs_major_version"));
  if (!major) {
    require(!dlsym(handle, "bs_construct"), library.string(),
            ": was compiled with BridgeStan 1; compile it again with BridgeStan 2");
    throw Misuse(library.string() +
                 ": is not a Stan program compiled with BridgeStan: it has no bs_major_version");
  }
  require(*major == 2, library.string(), ": was compiled with BridgeStan ", *major,
          "; only version 2 is known here");
}

}  // namespace

BridgeStan load_bridgestan(const fs::path& library) {
  void* handle = handle_of(library);
  require_version(handle, library);
  const auto find = [&](auto& function, const char* name) {
    const std::string symbol = std::string("bs_") + name;
    void* found = dlsym(handle, symbol.c_str());
    require(found, library.string(), ": is not a Stan program compiled with BridgeStan: it has no ",
            symbol);
    std::memcpy(&function, &found, sizeof found);
  };
  BridgeStan out;
  find(out.model_construct, "model_construct");
  find(out.model_destruct, "model_destruct");
  find(out.free_error_msg, "free_error_msg");
  find(out.name, "name");
  find(out.model_info, "model_info");
  find(out.param_names, "param_names");
  find(out.param_unc_names, "param_unc_names");
  find(out.param_num, "param_num");
  find(out.param_unc_num, "param_unc_num");
  find(out.param_constrain, "param_constrain");
  find(out.param_unconstrain_json, "param_unconstrain_json");
  find(out.log_density_gradient, "log_density_gradient");
  find(out.rng_construct, "rng_construct");
  find(out.rng_destruct, "rng_destruct");
  find(out.set_print_callback, "set_print_callback");
  out.set_print_callback(print_to_standard_error, nullptr);
  return out;
}

}  // namespace fisherman
