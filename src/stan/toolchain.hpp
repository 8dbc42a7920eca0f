// A Stan that is installed on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fisherman {

struct StanToolchain {
  std::string name;            // in sentences: "CmdStan in /home/me/.cmdstan/cmdstan-2.35.0"
  std::filesystem::path root;  // of BridgeStan: where its Makefile is
  std::filesystem::path stanc;
  bool has_make = false;  // BridgeStan, which builds libraries itself; what follows is then empty
  std::vector<std::filesystem::path> includes;
  std::vector<std::filesystem::path> libraries;  // files to link with
};

/// The first that is complete, in the order that stan_compile.hpp has. Throws Misuse if an environment variable names
/// something else than it should.
std::optional<StanToolchain> find_stan();

/// ~/.cache, or where the user has it. Throws Misuse if nobody knows.
std::filesystem::path user_cache_folder();

}  // namespace fisherman
