// Other programs, run to their end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fisherman {

struct ProgramResult {
  bool started = true;   // false: there is no such program
  int code = 0;          // its exit code
  int signal = 0;        // what ended it, or 0
  std::string messages;  // standard output and standard error
  bool well() const { return started && code == 0 && signal == 0; }
};

/// Looks the first word up in PATH unless it has a slash. No shell reads the words. The program ends when this one does.
ProgramResult run_program(const std::vector<std::string>& words,
                          const std::filesystem::path& folder = {});

}  // namespace fisherman
