// The commands with their options, as the parser has them: what completions and the manual are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fisherman::cli {

struct OptionInfo {
  std::vector<std::string> flags;    // "--data", "-h"; none for a positional argument
  std::string type;                  // FILE, DIR, a|b|c, …; empty for a flag
  std::vector<std::string> choices;  // the words that it may be, if they are known
  std::string help, initial;
  bool required = false, many = false;

  bool positional() const { return flags.empty(); }
  bool takes_value() const { return !type.empty(); }
};

struct CommandInfo {
  std::string path;  // "fisherman fit logistic"
  std::string help, footer;
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;

  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

CommandInfo tree_of(const CLI::App& app);

/// The command and all below it, each before its own.
std::vector<const CommandInfo*> flattened(const CommandInfo& command);

/// What is before the first line break.
std::string first_line(const std::string& text);

}  // namespace fisherman::cli
