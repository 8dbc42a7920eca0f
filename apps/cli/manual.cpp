// fisherman man: the manual page, in roff, from the commands as the parser has them.
#include <cstdio>
#include <iostream>
#include <sstream>

#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/version.hpp"
#include "tree.hpp"

namespace fisherman::cli {
namespace {

/// Text as roff takes it: no accidental requests, hyphens that can be copied, and no bytes beyond ASCII.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (line_start && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    line_start = text[i] == '\n';
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else if (byte < 0x80) {
      out += text[i];
    } else {  // UTF-8: the first byte tells how many follow
      const int more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
      unsigned code = byte & (0x3FU >> more);
      for (int k = 0; k < more && i + 1 < text.size(); ++k)
        code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3FU);
      char name[16];
      std::snprintf(name, sizeof name, "\\[u%04X]", code);
      out += name;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

/// Lines that are indented are examples: set as they are. The others are text.
std::string set(const std::string& text) {
  std::string out;
  bool example = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (indented != example) out += indented ? ".PP\n.EX\n" : ".EE\n";
    example = indented;
    if (line.empty())
      out += ".PP\n";
    else
      out += roff(line) + "\n";
  }
  return out + (example ? ".EE\n" : "");
}

std::string option_item(const OptionInfo& option) {
  std::string head;
  for (const std::string& flag : option.flags) head += (head.empty() ? "" : ", ") + bold(flag);
  if (option.takes_value()) head += (head.empty() ? "" : " ") + italic(option.type);
  if (option.many) head += " ...";
  std::string out = ".TP\n" + head + "\n";
  std::istringstream lines(option.help);
  std::string line;
  std::getline(lines, line);
  out += roff(line) + "\n";
  if (!option.initial.empty()) out += roff("(default: " + option.initial + ")\n");
  if (option.required) out += "(required)\n";
  for (; std::getline(lines, line);) out += ".br\n" + roff(line) + "\n";
  return out;
}

std::string command_section(const CommandInfo& command) {
  std::string usage = bold(command.path) + " [" + italic("options") + "]";
  for (const OptionInfo& option : command.options)
    if (option.positional())
      usage += sentence(option.required ? " " : " [", italic(option.type),
                        option.many ? " ..." : "", option.required ? "" : "]");
  std::string out =
      ".SS " + roff(command.path) + "\n" + roff(command.help) + "\n.PP\n" + usage + "\n";
  for (const OptionInfo& option : command.options)
    if (option.flags.empty() || option.flags.back() != "--help") out += option_item(option);
  return out + (command.footer.empty() ? "" : ".PP\n" + set(command.footer));
}

std::string manual(const CommandInfo& root, const std::string& version) {
  std::string out = sentence(".TH FISHERMAN 1 \"\" \"fisherman ", roff(version),
                             "\" \"User Commands\"\n.SH NAME\nfisherman \\- ",
                             "natural gradient on manifolds without inverting a Fisher matrix\n",
                             ".SH SYNOPSIS\n", bold("fisherman"), " ", italic("COMMAND"), " [",
                             italic("options"), "]\n.SH DESCRIPTION\n", roff(root.help), "\n.PP\n",
                             set(root.footer), ".SH COMMANDS\n");
  for (const CommandInfo* command : flattened(root))
    if (command->commands.empty()) out += command_section(*command);
  out += ".SH OPTIONS OF ALL COMMANDS\n";
  for (const OptionInfo& option : root.options) out += option_item(option);
  return out;
}

}  // namespace

void add_man(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("man", "this manual, in roff");
  command->footer("Example:\n  fisherman man >fisherman.1 && man ./fisherman.1");
  command->callback([&app, &exit_code] {
    std::cout << manual(tree_of(app), version());
    exit_code = done;
  });
}

}  // namespace fisherman::cli
