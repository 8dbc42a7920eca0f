#include "command.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>

#include "fisherman/core/error.hpp"

namespace fisherman::cli {

void Flags::add_to(CLI::App& command, const Options& options,
                   const std::vector<std::string>& except) {
  for (const Options::Option& option : options.all()) {
    if (std::find(except.begin(), except.end(), option.name) != except.end()) continue;
    const std::string flag = "--" + option.name, name = option.name;
    std::string help = option.help;
    for (const Options::Choice& choice : option.choices)
      if (!choice.help.empty()) help += sentence("\n- ", choice.name, ": ", choice.help);
    if (const std::string off = option.switched_off_by(); !off.empty()) {
      command.add_flag_callback(
          "--" + off, [this, off] { given_.emplace_back(off, "true"); },
          "do without " + option.help);
      // As it is by default; for those who say it all the same.
      command
          .add_flag_callback(
              flag, [this, name] { given_.emplace_back(name, "true"); }, option.help)
          ->group("");
    } else if (option.is_flag())
      command.add_flag_callback(
          flag, [this, name] { given_.emplace_back(name, "true"); }, option.help);
    else
      command
          .add_option_function<std::string>(
              flag, [this, name](const std::string& value) { given_.emplace_back(name, value); },
              help)
          ->type_name(option.kind)
          ->default_str(option.initial);
  }
}

void Flags::apply(Options& options, const std::filesystem::path& config) const {
  if (!config.empty()) {
    const nlohmann::json file = read_json(config);
    for (const auto& [name, value] : file.items()) {
      try {
        options.set(name, value.is_string() ? value.get<std::string>() : value.dump());
      } catch (const Misuse& e) {
        throw FileError(sentence(config.string(), ": ", e.what()));
      }
    }
  }
  for (const auto& [name, value] : given_) options.set(name, value);
}

nlohmann::ordered_json as_json(const Options& options) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const Options::Option& option : options.all()) {
    const std::string text = option.text();
    const bool plain = option.kind == "number" || option.kind == "integer" || option.is_flag();
    out[option.name] = plain ? nlohmann::ordered_json::parse(text) : nlohmann::ordered_json(text);
  }
  return out;
}

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw FileError(path.string() + ": cannot be opened");
  nlohmann::json value = nlohmann::json::parse(in, nullptr, false);
  if (value.is_discarded() || !value.is_object())
    throw FileError(path.string() + ": is not a JSON object");
  return value;
}

const std::atomic<bool>& interrupted() {
  static std::atomic<bool> flag = false;
  static const bool once = [] {
    struct sigaction action = {};
    action.sa_handler = [](int) { flag = true; };
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  (void)once;
  return flag;
}

}  // namespace fisherman::cli
