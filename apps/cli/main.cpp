#include <sys/resource.h>
#include <unistd.h>

#include "program.hpp"

namespace {

#ifndef FISHERMAN_SANITIZED
/// OpenBLAS maps its buffers and its threads' stacks when it is loaded and when it is first used, and where it cannot
/// have them it tries again for ever, deaf to signals. So the limit is looked at before any library is set up, with
/// nothing but system calls. Below this the smallest fit does not get through.
void require_address_space(int, char**, char**) {
  constexpr rlim_t at_least = 512'000'000, per_core = 16'000'000;
  constexpr char words[] =
      "fisherman: the limit of address space (ulimit -v) is too small: half a gigabyte, and 16 MB "
      "for each core, are "
      "needed to begin\n";
  rlimit limit{};
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (::getrlimit(RLIMIT_AS, &limit) != 0 ||
      limit.rlim_cur >= at_least + per_core * rlim_t(cores > 0 ? cores : 1))
    return;
  if (::write(STDERR_FILENO, words, sizeof words - 1) < 0) ::_exit(1);
  ::_exit(1);
}
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = require_address_space;
#endif

}  // namespace

int main(int argc, char** argv) { return fisherman::cli::run_program(argc, argv); }
