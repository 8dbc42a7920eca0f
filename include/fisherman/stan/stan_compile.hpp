// From a Stan program to a library that StanModel loads. A program is compiled once and kept.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace fisherman {

/// Where compiled programs are kept: $XDG_CACHE_HOME/fisherman/stan, or ~/.cache/fisherman/stan.
std::filesystem::path stan_cache();

struct StanCompileOptions {
  std::filesystem::path cache;  // empty: stan_cache()
  /// Hears what is going on and what stanc warns of. It may throw in order to stop while another process compiles the
  /// same program.
  std::function<void(const std::string&)> progress;
};

/// The library of a program (a .stan file): that in the cache, if program, included files and toolchain are the same as
/// they were then; otherwise it is compiled, which takes about half a minute. Stan itself is the first of
///
///   $BRIDGESTAN, ~/.bridgestan/bridgestan-*   which is built with its own make file,
///   $CMDSTAN, ~/.cmdstan/cmdstan-*,
///   $FISHERMAN_STAN, ~/.cache/fisherman/httpstan-*, the Python package httpstan where pip puts it.
///
/// Throws Misuse: no such file, no Stan, no compiler, what stanc says of an error in the program, or the last lines of a
/// compilation that failed.
std::filesystem::path compiled_stan(const std::filesystem::path& program,
                                    const StanCompileOptions& options = {});

/// What compiled_stan would use, in words, such as "httpstan in /home/me/.cache/fisherman/httpstan-4.13.0"; empty if
/// there is nothing.
std::string stan_toolchain_name();

}  // namespace fisherman
