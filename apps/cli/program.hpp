// The program fisherman, as a function: tests run it with kinds of fit of their own.
#pragma once

namespace fisherman::cli {

/// What main() does. Returns the exit code.
int run_program(int argc, const char* const* argv);

}  // namespace fisherman::cli
