// fisherman completion: scripts for bash, zsh and fish, from the commands as the parser has them.
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "resources.hpp"
#include "tree.hpp"

namespace fisherman::cli {
namespace {

/// In single quotes, as bash and zsh read them.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

/// Paths of all commands but the program itself.
std::vector<std::string> paths_below(const CommandInfo& root) {
  std::vector<std::string> out;
  for (const CommandInfo* command : flattened(root))
    if (command != &root) out.push_back(command->path);
  return out;
}

bool is_place(const OptionInfo& option) { return option.type == "FILE" || option.type == "DIR"; }

/// Words that can come next, besides files and folders.
std::string words_of(const CommandInfo& command) {
  std::vector<std::string> out;
  for (const CommandInfo& below : command.commands) out.push_back(below.name());
  for (const OptionInfo& option : command.options) {
    const auto& words = option.positional() ? option.choices : option.flags;
    out.insert(out.end(), words.begin(), words.end());
  }
  return joined(out);
}

std::string bash_completion(const CommandInfo& root) {
  std::vector<std::string> commands;
  for (const std::string& path : paths_below(root)) commands.push_back(quoted(path));
  std::string values, words;
  for (const CommandInfo* command : flattened(root)) {
    std::string places;
    for (const OptionInfo& option : command->options) {
      if (option.positional() && is_place(option))
        places = sentence("; [[ $cur == -* ]] || kind=", option.type);
      if (!option.takes_value()) continue;
      for (const std::string& flag : option.flags)
        values += sentence(
            "    ", quoted(command->path + " " + flag), ") ",
            is_place(option) ? "kind=" + option.type : "words=" + quoted(joined(option.choices)),
            " ;;\n");
    }
    words += sentence("        ", quoted(command->path), ") words=", quoted(words_of(*command)),
                      places, " ;;\n");
  }
  return filled(resource("completion.bash"),
                {{"commands", joined(commands, " | ")}, {"values", values}, {"words", words}});
}

/// A colon and brackets mean something in the specs of zsh's _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : first_line(text)) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionInfo& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices) + ")";
  return option.type == "FILE" ? "_files" : option.type == "DIR" ? "_files -/" : " ";
}

std::string zsh_function(const std::string& path) {
  std::string out = "_" + path;
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return out;
}

std::string zsh_completion(const CommandInfo& root) {
  std::string functions;
  for (const CommandInfo* command : flattened(root)) {
    std::string specs;
    for (const OptionInfo& option : command->options) {
      const std::string value = sentence(':', zsh_text(option.type), ':', zsh_action(option));
      if (option.positional())
        specs += sentence(" \\\n    ", quoted((option.many ? "*" : "1") + value));
      for (const std::string& flag : option.flags)
        specs += sentence(" \\\n    ", quoted(sentence(flag, '[', zsh_text(option.help), ']',
                                                       option.takes_value() ? value : "")));
    }
    functions += zsh_function(command->path) + "() {\n";
    if (command->commands.empty()) {
      functions += "  _arguments" + specs + "\n}\n\n";
      continue;
    }
    std::string known, branches;
    for (const CommandInfo& below : command->commands) {
      known += sentence("\n    ", quoted(below.name() + ":" + zsh_text(below.help)));
      branches += sentence("        ", below.name(), ") ", zsh_function(below.path), " ;;\n");
    }
    functions += sentence(
        "  local context state state_descr line\n  typeset -A opt_args\n"
        "  local -a commands=(",
        known, "\n  )\n  _arguments -C", specs,
        " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n"
        "    command) _describe command commands ;;\n"
        "    rest)\n      case $line[1] in\n",
        branches, "      esac\n      ;;\n  esac\n}\n\n");
  }
  return filled(resource("completion.zsh"), {{"functions", functions}});
}

/// In single quotes fish knows two escapes: \' and \\.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_completion(const CommandInfo& root) {
  std::vector<std::string> commands;
  const auto below_root = [&](const std::string& path) {
    return path == root.path ? "" : path.substr(root.path.size() + 1);
  };
  for (const std::string& path : paths_below(root))
    commands.push_back(fish_quoted(below_root(path)));
  std::string completions;
  for (const CommandInfo* command : flattened(root)) {
    const std::string here = below_root(command->path);
    const std::string line =
        sentence("complete -c fisherman -n ", fish_quoted("__fisherman_at " + here));
    for (const CommandInfo& below : command->commands)
      completions +=
          sentence(line, " -a ", below.name(), " -d ", fish_quoted(first_line(below.help)), '\n');
    for (const OptionInfo& option : command->options) {
      const std::string values = !option.choices.empty()
                                     ? " -a " + fish_quoted(joined(option.choices))
                                 : option.type == "FILE" ? " -F"
                                 : option.type == "DIR"  ? " -a '(__fish_complete_directories)'"
                                                         : "";
      if (option.positional()) {
        completions += sentence(line, values, '\n');
        continue;
      }
      std::string names;
      for (const std::string& flag : option.flags)
        names += flag[1] == '-' ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
      completions += sentence(line, names,
                              !option.takes_value()   ? ""
                              : option.type == "FILE" ? " -r"
                                                      : " -x",
                              values, " -d ", fish_quoted(first_line(option.help)), '\n');
    }
  }
  return filled(resource("completion.fish"),
                {{"commands", joined(commands)}, {"completions", completions}});
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("completion", "a script that completes fisherman's words in your shell");
  command->add_option("shell", *shell, "which one")->required()->type_name("bash|zsh|fish");
  command->footer(
      "Example:\n  source <(fisherman completion bash)\n"
      "  fisherman completion zsh >~/.zfunc/_fisherman\n"
      "  fisherman completion fish >~/.config/fish/completions/fisherman.fish");
  command->callback([shell, &app, &exit_code] {
    const CommandInfo root = tree_of(app);
    require(*shell == "bash" || *shell == "zsh" || *shell == "fish", "there is no completion for '",
            *shell, "', only for bash, zsh and fish");
    std::cout << (*shell == "bash"  ? bash_completion(root)
                  : *shell == "zsh" ? zsh_completion(root)
                                    : fish_completion(root));
    exit_code = done;
  });
}

}  // namespace fisherman::cli
