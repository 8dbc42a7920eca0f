#include "fisherman/core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {
namespace {

constexpr double negligible = 2e7;    // bytes, about which the kernel is not asked
constexpr double usable_share = 0.9;  // of what is free: the rest of the machine lives too

/// The number after `key` in a file of the kernel's; the first one for an empty key. Nothing if there is none, as "max".
std::optional<double> kernel_number(const std::filesystem::path& file, const std::string& key) {
  std::ifstream in(file);
  std::string word;
  while (!key.empty() && in >> word)
    if (word == key) break;
  double value = 0.0;
  if (!(in >> value)) return std::nullopt;
  return value;
}

struct Bound {
  double total, left;
};

Bound machine() {
  const double total = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
  const auto available = kernel_number("/proc/meminfo", "MemAvailable:");  // in kB
  return {total, available ? std::min(total, *available * 1024.0) : total};
}

/// One group's: what the page cache holds is given back when it is asked for.
std::optional<Bound> group_bound(const std::filesystem::path& folder, const char* most,
                                 const char* used, const char* cached) {
  const auto limit = kernel_number(folder / most, ""), now = kernel_number(folder / used, "");
  if (!limit || !now) return std::nullopt;
  const double cache = kernel_number(folder / "memory.stat", cached).value_or(0.0);
  return Bound{*limit, std::max(0.0, *limit - *now + std::min(cache, *now))};
}

/// The tightest of the process's control group and those around it, in either version.
std::optional<Bound> control_group() {
  std::optional<Bound> least;
  const auto take = [&](const std::optional<Bound>& bound) {
    if (bound && (!least || bound->left < least->left)) least = bound;
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto second = line.find(':', line.find(':') + 1);
    if (second == std::string::npos) continue;
    const bool unified = line.rfind("0::", 0) == 0;
    if (!unified && line.find(":memory:") == std::string::npos) continue;
    const std::filesystem::path root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    // Inside a container the path may be the host's; the root is then the container's own group.
    for (std::filesystem::path path = line.substr(second + 1);; path = path.parent_path()) {
      const std::filesystem::path folder = root / path.relative_path();
      take(unified ? group_bound(folder, "memory.max", "memory.current", "file")
                   : group_bound(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                 "total_cache"));
      if (path.relative_path().empty()) break;
    }
  }
  return least;
}

std::optional<Bound> address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const double pages = kernel_number("/proc/self/statm", "").value_or(0.0);
  const double total = double(limit.rlim_cur);
  return Bound{total, std::max(0.0, total - pages * double(::sysconf(_SC_PAGESIZE)))};
}

/// What there is left to say so with, when memory has run out.
std::vector<char>& spare() {
  static std::vector<char> bytes;
  return bytes;
}

int sharing = 1;  // number of processes

double resident() {
  std::ifstream in("/proc/self/statm");
  double all = 0.0, pages = 0.0;
  in >> all >> pages;
  return pages * double(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string gigabytes(double bytes) { return sentence(std::ceil(bytes / 1e8) / 10.0, " GB"); }

void share_memory_among(int processes) { sharing = processes; }

Memory memory_now() {
  Memory now{machine().total, std::numeric_limits<double>::infinity(), resident(), ""};
  const auto bounded = [&](const std::optional<Bound>& by, const char* whose, int among) {
    if (!by) return;
    now.total = std::min(now.total, by->total);
    if (by->left / among >= now.left) return;
    now.left = by->left / among;
    now.words =
        sentence(whose, gigabytes(by->total), ", of which ", gigabytes(by->left), " are free");
    if (among > 1) now.words += sentence(" for ", among, " ranks");
  };
  bounded(machine(), "this machine has ", sharing);
  bounded(control_group(), "the control group of this process has ", sharing);
  bounded(address_space(), "this process is limited (ulimit -v) to ", 1);
  return now;
}

void require_memory(const std::string& what, const std::vector<MemoryPart>& parts,
                    const std::string& less) {
  double needed = 0.0;
  std::string list;
  for (const MemoryPart& part : parts) {
    needed += part.bytes;
    list += sentence(list.empty() ? "" : ", ", part.what, " ", gigabytes(part.bytes));
  }
  if (needed < negligible) return;
  const Memory now = memory_now();
  require(needed < usable_share * (now.taken + now.left), what, " would take about ",
          gigabytes(needed), " (", list, "), but ", now.words, "; ", less);
}

void limit_memory() {
  // OpenBLAS maps its buffer when it is first used, and tries again for ever where it cannot have it.
  const Matrix some = Matrix::Ones(256, 256);
  volatile double used = (some * some)(0, 0);
  static_cast<void>(used);
  spare().resize(4'000'000);
  const auto now = kernel_number("/proc/self/status", "VmData:");  // in kB
  rlimit limit{};
  if (!now || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const double most = *now * 1024.0 + usable_share * memory_now().left;
  if (limit.rlim_cur != RLIM_INFINITY && double(limit.rlim_cur) <= most) return;
  limit.rlim_cur = rlim_t(most);
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::string out_of_memory(const std::string& what) {
  std::vector<char>().swap(spare());
  return sentence("memory ran out during ", what, "; ", memory_now().words);
}

}  // namespace fisherman
