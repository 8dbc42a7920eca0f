#include "mpi_environment.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace fisherman::cli {

bool is_started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

std::vector<std::string> environment_without_mpi() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view words = *entry;
    if (!words.starts_with("OMPI_") && !words.starts_with("PMIX_") && !words.starts_with("PMI_"))
      out.emplace_back(words);
  }
  return out;
}

}  // namespace fisherman::cli
