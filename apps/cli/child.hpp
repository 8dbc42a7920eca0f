// Other programs, as children of this one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace fisherman::cli {

/// What a child exits with if its program could not be started, as in a shell.
inline constexpr int not_started = 127;

/// Starts a program, looked for in PATH unless its name has a slash; the first of `words` is what it is called.
/// Its standard output goes nowhere, and its errors to the open file `errors`. It ends when its parent does, even if
/// that is killed. A child of a rank is a process by itself.
pid_t start_child(const std::string& program, const std::vector<std::string>& words, int errors);

}  // namespace fisherman::cli
