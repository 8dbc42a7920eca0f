#include "tree.hpp"

#include "fisherman/fit/registry.hpp"

namespace fisherman::cli {
namespace {

std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> out;
  if (type == "NAME") {  // as fisherman list has them
    for (const auto& entry : manifolds()) out.push_back(entry.name);
    for (const auto& entry : fisher_approximations()) out.push_back(entry.name);
    for (const auto& entry : models()) out.push_back(entry.name);
  } else if (type.find('|') != std::string::npos) {
    out = CLI::detail::split(type, '|');
  }
  return out;
}

OptionInfo info_of(const CLI::Option& option) {
  OptionInfo out;
  for (const std::string& name : option.get_snames()) out.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.flags.push_back("--" + name);
  if (option.get_items_expected_max() > 0) out.type = option.get_type_name();
  out.choices = choices_of(out.type);
  out.help = option.get_description();
  out.initial = option.get_default_str();
  out.required = option.get_required();
  out.many = option.get_items_expected_max() > 1;
  return out;
}

CommandInfo tree_of(const CLI::App& app, const std::string& parent) {
  CommandInfo out;
  out.path = parent.empty() ? app.get_name() : parent + " " + app.get_name();
  out.help = app.get_description();
  out.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) out.options.push_back(info_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(tree_of(*command, out.path));
  return out;
}

void collect(const CommandInfo& command, std::vector<const CommandInfo*>& out) {
  out.push_back(&command);
  for (const CommandInfo& below : command.commands) collect(below, out);
}

}  // namespace

CommandInfo tree_of(const CLI::App& app) { return tree_of(app, ""); }

std::vector<const CommandInfo*> flattened(const CommandInfo& command) {
  std::vector<const CommandInfo*> out;
  collect(command, out);
  return out;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace fisherman::cli
