// What the subcommands share: flags from option descriptions, files, signals, exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "fisherman/fit/options.hpp"
#include "fisherman/io/json.hpp"

namespace fisherman::cli {

/// 0 done, 1 misuse or bad input, 3 ended without converging (results are kept).
enum ExitCode : int { done = 0, misuse = 1, not_converged = 3 };

/// Makes a flag of every option. Values are applied by apply(); a config file's go before, so that the command line has
/// the last word.
class Flags {
 public:
  /// All but those that are named in `except`.
  void add_to(CLI::App& command, const Options& options,
              const std::vector<std::string>& except = {});
  void apply(Options& options) const;
  /// The option was given.
  bool has(const std::string& name) const;

 private:
  std::vector<std::pair<std::string, std::string>> given_;
};

/// All options by name, as JSON values of their kind.
Json as_json(const Options& options);

/// What a config file says of options and of the data: config.json of a run, or an object of options alone. Throws FileError
/// if it is of another kind of fit, or if an option does not exist or may not have its value.
void apply_config(const std::filesystem::path& file, const std::string& kind,
                  const std::vector<Options*>& options, Options& data);

/// config.json as one object without parts: the options, the data and the version by name.
Json flat_config(const Json& config);

/// A flag for a number that is no option of an application, by the rules of Options: finite, and what `rule` says. A
/// value that breaks it throws Misuse while the command line is parsed.
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& value,
                        const std::string& help, Options::Rule rule) {
  Options one;
  one.add(name, value, help, rule);
  const Options::Option& option = one.all().front();
  CLI::Option* const flag = command.add_option_function<std::string>("--" + name, option.set, help)
                                ->type_name(option.kind == "integer" ? "INT" : "FLOAT");
  flag->default_function([initial = option.initial] { return initial; });
  return flag;
}

/// What is wrong, without the marks of the library.
std::string plain_words(const Json::exception& trouble);

/// The lines of an example below each other.
std::string indented(const std::string& lines);

/// The command that was given, as "fisherman fit logistic".
std::string given_words(const CLI::App& app);

/// What is wrong with a command line that CLI11 refused, in a sentence of ours: names that do not exist come in the order
/// in which they were given, each with the one that may have been meant.
std::string trouble(const CLI::App& app, const CLI::ParseError& error);

/// Set by SIGINT and SIGTERM from the first call on.
const std::atomic<bool>& interrupted();

/// Each adds its subcommand to `app`; what a subcommand returns is left in `exit_code`.
void add_fits(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_tune(CLI::App& app, int& exit_code);
void add_reproduce(CLI::App& app, int& exit_code);
void add_data(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_man(CLI::App& app, int& exit_code);

}  // namespace fisherman::cli
