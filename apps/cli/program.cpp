// fisherman: the command line.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/version.hpp"
#include "mpi_messenger.hpp"
#include "program.hpp"
#include "study/crew.hpp"

namespace {

/// What an exception says, without the name of the library that threw it.
std::string words_of(const std::exception& e) {
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&e))
    return fisherman::sentence(file->path1().string(), file->path1().empty() ? "" : ": ",
                               file->code().message());
  if (const auto* json = dynamic_cast<const fisherman::Json::exception*>(&e))
    return "a file does not hold what it should: " + fisherman::cli::plain_words(*json);
  return e.what();
}

/// A standard stream that is closed must not become the first file that is opened, or what is printed would go there.
/// What takes its place cannot be written to, so that printing fails as before.
void fill_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
}

/// An empty name, as a shell makes of an unset variable, is a mistake and not the wish for no file.
void refuse_empty_names(CLI::App& app) {
  const CLI::Validator named(
      [](std::string& name) { return std::string(name.empty() ? "the name is empty" : ""); }, "");
  for (CLI::Option* option : app.get_options({}))
    if (option->get_type_name() == "FILE" || option->get_type_name() == "DIR") option->check(named);
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_names(*command);
}

/// Keeps freed memory, so that an iteration's large matrices are not mapped and zeroed anew each time: with the paper's
/// transport that took as long as the arithmetic.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// What main() does among the ranks of a job.
int run_among(const fisherman::cli::Job& job, int argc, const char* const* argv) {
  using namespace fisherman;
  int exit_code = cli::done;
  CLI::App app(
      "Fits distributions whose parameters live on a manifold, by natural gradient without "
      "inverting "
      "a Fisher matrix.",
      "fisherman");
  app.set_version_flag("--version", version(), "print the version and exit");
  app.set_help_flag("-h,--help", "print this help and exit");
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  fisherman fit logistic --data wdbc.csv --out wdbc-run\n"
      "  fisherman predict --run wdbc-run --data new.csv\n"
      "  fisherman report wdbc-run --out wdbc.html\n"
      "\n"
      "fisherman COMMAND --help tells more.\n"
      "Exit codes: 0 done, 1 misuse or bad input, 3 ended without converging.");
  cli::add_fits(app, exit_code);
  cli::add_predict(app, exit_code);
  cli::add_report(app, exit_code);
  cli::add_compare(app, exit_code);
  cli::add_tune(app, exit_code);
  cli::add_reproduce(app, exit_code);
  cli::add_data(app, exit_code);
  cli::add_list(app, exit_code);
  cli::add_check(app, exit_code);
  cli::add_completion(app, exit_code);
  cli::add_man(app, exit_code);
  refuse_empty_names(app);
  std::string trouble;
  std::optional<cli::study::Helpers> helpers;
  std::optional<Alone> alone;
  try {
    // Ranks share fits, and the trials of studies; the first of them does the rest by itself.
    const std::string_view command = argc < 2 ? "" : argv[1];
    const bool study = command == "tune" || command == "compare" || command == "reproduce";
    if (study && this_rank() != 0) cli::study::help_first_rank();
    if (command != "fit" && this_rank() != 0) return cli::done;
    if (study && rank_count() > 1) helpers.emplace();
    if (command != "fit") alone.emplace();
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // help, or the version
    trouble = cli::trouble(app, e) + "\nRun with --help for more information.";
  } catch (const std::bad_alloc&) {
    trouble = out_of_memory(cli::given_words(app));
  } catch (const std::length_error&) {  // what the standard library says of sizes beyond all memory
    trouble = out_of_memory(cli::given_words(app));
  } catch (const std::exception& e) {
    trouble = words_of(e);
  }
  if (trouble.empty()) return exit_code;
  job.fail("fisherman: " + trouble + '\n');
  return cli::misuse;
}

}  // namespace

int fisherman::cli::run_program(int argc, const char* const* argv) {
  fill_closed_streams();
  keep_memory();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is then an error like a full disk
  try {
    const Job job;
    const int exit_code = run_among(job, argc, argv);
    if (exit_code != misuse && !std::cout.flush()) {
      std::cerr << "fisherman: standard output cannot be written\n";
      return misuse;
    }
    return exit_code;
  } catch (const Misuse& e) {  // of Job: several ranks, but a program without MPI
    std::cerr << "fisherman: " << e.what() << '\n';
    return misuse;
  }
}
