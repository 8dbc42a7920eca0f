// fisherman list: all that goes by a name.
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/registry.hpp"

namespace fisherman::cli {
namespace {

template <class Example>
Json names_of(const std::vector<Named<Example>>& entries) {
  Json out = Json::array();
  for (const auto& entry : entries)
    out.push_back({{"name", entry.name}, {"help", entry.help}, {"size", entry.size_names}});
  return out;
}

Json everything() {
  Json fits = Json::array();
  for (const FitKind& kind : fit_kinds()) {
    Json choices = Json::object();
    for (const Options::Option& option : kind.options().all())
      for (const Options::Choice& choice : option.choices)
        if (!choice.help.empty())
          choices[option.name].push_back({{"name", choice.name}, {"help", choice.help}});
    fits.push_back({{"name", kind.name}, {"help", kind.help}, {"choices", choices}});
  }
  return {{"fits", fits},
          {"manifolds", names_of(manifolds())},
          {"fisher_approximations", names_of(fisher_approximations())},
          {"models", names_of(models())}};
}

void print(const std::string& heading, const Json& entries) {
  std::cout << '\n' << heading << '\n';
  std::size_t width = 0;
  for (const Json& entry : entries)
    width = std::max(width, entry["name"].get_ref<const std::string&>().size());
  for (const Json& entry : entries) {
    const auto& name = entry["name"].get_ref<const std::string&>();
    std::cout << "  " << name << std::string(width + 2 - name.size(), ' ')
              << entry["help"].get_ref<const std::string&>();
    if (entry.contains("size")) std::cout << " (" << entry["size"].get<std::string>() << ')';
    std::cout << '\n';
  }
}

int list(bool json) {
  const Json all = everything();
  if (json) {
    std::cout << all.dump(2) << '\n';
    return done;
  }
  std::cout << "What can be fitted, with what, and what fisherman check can check. Sizes are in "
               "brackets.\n";
  for (const Json& fit : all["fits"]) {
    const auto name = fit["name"].get<std::string>();
    std::cout << "\nfisherman fit " << name << ": " << fit["help"].get<std::string>() << '\n';
    for (const auto& [option, choices] : fit["choices"].items())
      print("fit " + name + " --" + option, choices);
  }
  print("Manifolds", all["manifolds"]);
  print("Fisher approximations", all["fisher_approximations"]);
  print("Models", all["models"]);
  return done;
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "list", "manifolds, Fisher approximations, models, geometries, methods, estimators");
  command->add_flag("--json", *json, "print one JSON object and nothing else");
  command->footer("Example:\n  fisherman list\n  fisherman list --json");
  command->callback([json, &exit_code] { exit_code = list(*json); });
}

}  // namespace fisherman::cli
