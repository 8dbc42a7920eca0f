#include "toolchain.hpp"

#include <algorithm>
#include <cstdlib>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// "bridgestan-2.10.0" comes after "bridgestan-2.9.1": numbers count as numbers.
bool comes_before(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto number = [&](const std::string& text, std::size_t& at) {
        unsigned long long value = 0;
        for (; at < text.size() && digit(text[at]); ++at)
          value = value * 10 + unsigned(text[at] - '0');
        return value;
      };
      const auto x = number(a, i), y = number(b, j);
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

/// What is in the folder and begins so, the highest version first.
std::vector<fs::path> versions(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(prefix)) out.push_back(entry.path());
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) {
    return comes_before(b.filename().string(), a.filename().string());
  });
  return out;
}

/// The highest version of a part that Stan brings along, or nothing.
fs::path part_of(const fs::path& folder, const std::string& prefix) {
  const auto all = versions(folder, prefix);
  return all.empty() ? fs::path() : all.front();
}

std::optional<StanToolchain> bridgestan_in(const fs::path& root) {
  if (!is_there(root / "Makefile")) return {};
  return StanToolchain{"BridgeStan in " + root.string(), root, root / "bin/stanc", true, {}, {}};
}

/// Adds the files; says whether all are there.
bool add_files(const fs::path& folder, std::initializer_list<const char*> names,
               std::vector<fs::path>& to) {
  for (const char* name : names) {
    if (!is_there(folder / name)) return false;
    to.push_back(folder / name);
  }
  return true;
}

bool add_threads_library(const fs::path& folder, std::vector<fs::path>& to) {
  for (const char* name : {"libtbb.so.2", "libtbb.so.12", "libtbb.so", "libtbb.dylib"})
    if (add_files(folder, {name}, to)) return true;
  return false;
}

/// What Stan's solvers of differential equations need.
const auto solver_libraries = {"libsundials_cvodes.a", "libsundials_idas.a", "libsundials_kinsol.a",
                               "libsundials_nvecserial.a"};

/// CmdStan that has been built: TBB and SUNDIALS are there only then.
std::optional<StanToolchain> cmdstan_in(const fs::path& root) {
  const fs::path stan = root / "stan", math = stan / "lib/stan_math", parts = math / "lib";
  const fs::path sundials = part_of(parts, "sundials_"), tbb = part_of(parts, "tbb_");
  StanToolchain out;
  out.name = "CmdStan in " + root.string();
  out.root = root;
  out.stanc = root / "bin/stanc";
  out.includes = {stan / "src",
                  math,
                  part_of(parts, "eigen_"),
                  part_of(parts, "boost_"),
                  sundials / "include",
                  sundials / "src/sundials",
                  tbb / "include",
                  part_of(stan / "lib", "rapidjson_")};
  const bool complete = is_there(out.stanc) && is_there(stan / "src/stan/version.hpp") &&
                        add_files(sundials / "lib", solver_libraries, out.libraries) &&
                        add_threads_library(parts / "tbb", out.libraries);
  return complete ? std::optional(out) : std::nullopt;
}

/// The folder of the package, or one that holds it.
std::optional<StanToolchain> httpstan_in(const fs::path& folder) {
  const fs::path root = is_there(folder / "stanc") ? folder : folder / "httpstan";
  StanToolchain out;
  out.name = "httpstan in " + folder.string();
  out.root = root;
  out.stanc = root / "stanc";
  out.includes = {root / "include"};
  const bool complete = is_there(out.stanc) && is_there(root / "include/stan/version.hpp") &&
                        is_there(root / "include/stan/io/json/json_data.hpp") &&
                        add_files(root / "lib", solver_libraries, out.libraries) &&
                        add_threads_library(root / "lib", out.libraries);
  return complete ? std::optional(out) : std::nullopt;
}

/// Where pip puts packages: of the user, of an active virtual environment, of the system.
std::vector<fs::path> python_packages(const fs::path& home) {
  std::vector<fs::path> out;
  for (const fs::path& prefix : {from_environment("VIRTUAL_ENV"), from_environment("CONDA_PREFIX"),
                                 home / ".local", fs::path("/usr/local"), fs::path("/usr")}) {
    if (prefix.empty()) continue;
    for (const fs::path& python : versions(prefix / "lib", "python3"))
      for (const char* kind : {"site-packages", "dist-packages"}) out.push_back(python / kind);
  }
  return out;
}

}  // namespace

fs::path user_cache_folder() {
  const fs::path cache = from_environment("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache;
  const fs::path home = from_environment("HOME");
  require(home.is_absolute(),
          "HOME is not set, so there is no place to keep compiled Stan programs");
  return home / ".cache";
}

std::optional<StanToolchain> find_stan() {
  const fs::path home = from_environment("HOME");
  using Search = std::optional<StanToolchain> (*)(const fs::path&);
  const auto named = [](const char* variable, Search search, const char* rule) {
    const fs::path root = from_environment(variable);
    auto found = root.empty() ? std::nullopt : search(root);
    require(root.empty() || found, variable, " is ", root.string(), ", but ", rule);
    return found;
  };
  const auto in_home = [&](const fs::path& folder, const std::string& prefix, Search search) {
    for (const fs::path& root : versions(folder, prefix))
      if (auto found = search(root)) return found;
    return std::optional<StanToolchain>();
  };
  if (auto found = named("BRIDGESTAN", bridgestan_in, "there is no Makefile in it")) return found;
  if (auto found = in_home(home / ".bridgestan", "bridgestan-", bridgestan_in)) return found;
  if (auto found =
          named("CMDSTAN", cmdstan_in,
                "there is no CmdStan in it that has been built; 'make build' there does it"))
    return found;
  if (auto found = in_home(home / ".cmdstan", "cmdstan-", cmdstan_in)) return found;
  if (auto found = named("FISHERMAN_STAN", httpstan_in,
                         "the Python package httpstan is not in it, or not all of it"))
    return found;
  if (auto found = in_home(user_cache_folder() / "fisherman", "httpstan-", httpstan_in))
    return found;
  for (const fs::path& folder : python_packages(home))
    if (auto found = httpstan_in(folder)) return found;
  return {};
}

}  // namespace fisherman
