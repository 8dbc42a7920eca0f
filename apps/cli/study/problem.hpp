// The fit that a study repeats: a model, its data, and the options that all trials share.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../command.hpp"
#include "../data_flags.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "store.hpp"

namespace fisherman::cli::study {

/// Options by name, with their values as text.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// One line of a comparison: a method with settings of its own.
struct Arm {
  std::string label;
  Settings settings;
};

struct Problem : DataFlags {
  explicit Problem(const FitKind& of);

  const FitKind* kind;
  std::string config;

  /// The flags of the data, --config, and one for each option, but those that are `varied` by the study.
  void add_to(CLI::App& command, std::vector<std::string> varied);
  /// Config file and command line; throws Misuse unless all trials are to do the same number of iterations.
  void apply();
  /// Of a study that is written in the program: the options come as they are.
  void share(const Settings& settings);

  /// Throws Misuse for an option that does not exist, or a value that it may not have.
  Command trial(const Settings& own, std::int64_t seed) const;
  /// The same fit by the deterministic solver, if this model has one that is exact.
  Command reference() const;

  /// As `fit --config` takes them.
  Json config_of(const Settings& own) const;
  /// What the results depend on: model, data and their checksums, shared options, version.
  Json identity() const;
  /// `own`, and these options as they are by default: for a line that takes the program as it comes, whatever all trials
  /// share otherwise.
  Settings with_defaults(Settings own, const std::vector<std::string>& options) const;
  /// An option that all trials share.
  std::string shared_value(const std::string& option) const;

 private:
  /// All settings as a trial has them.
  std::unique_ptr<FitSettings> settings_of(const Settings& own) const;
  Command words(const Options& options) const;

  Flags flags_, data_flags_;
  Settings shared_;
};

/// "NAME: METHOD OPTION=VALUE …", several of them with semicolons in between; names may be left out.
std::vector<Arm> parse_arms(const std::string& text);

/// "OPTION=VALUE …" → settings; a word alone is a flag.
Settings parse_settings(const std::vector<std::string>& words);

/// Trimmed parts; empty ones are left out.
std::vector<std::string> split(const std::string& text, char at);

}  // namespace fisherman::cli::study
