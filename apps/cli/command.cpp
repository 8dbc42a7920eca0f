#include "command.hpp"

#include <algorithm>
#include <csignal>
#include <string_view>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/nearest.hpp"
#include "fisherman/io/text.hpp"

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

void Flags::apply(Options& options) const {
  for (const auto& [name, value] : given_) options.set(name, value);
}

bool Flags::has(const std::string& name) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const auto& flag) { return flag.first == name; });
}

namespace {

/// Each member into the options that have one of its name; the last of them says what is wrong if none has.
void set_all(const std::vector<Options*>& options, const Json& values) {
  const auto has = [](const Options& in, const std::string& name) {
    return std::any_of(in.all().begin(), in.all().end(), [&](const Options::Option& option) {
      return option.name == name || option.switched_off_by() == name;
    });
  };
  for (const auto& [name, value] : values.items()) {
    Options* found = options.front();
    for (Options* const one : options)
      if (has(*one, name)) found = one;
    found->set(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

}  // namespace

void apply_config(const std::filesystem::path& file, const std::string& kind,
                  const std::vector<Options*>& options, Options& data) {
  Json config = read_json(file);
  try {
    const bool of_a_run = config.contains("options") && config["options"].is_object();
    if (!of_a_run) return set_all(options, config);
    const Json made_by = config.value("fit", Json(kind));
    require(made_by == kind, "is of a fit of the kind ", made_by.dump(), ", not '", kind, "'");
    set_all(options, config["options"]);
    Json files = config.value("data", Json::object());
    require(files.is_object(), "its 'data' must be an object");
    for (const char* sum : {"checksum", "labels-checksum", "test-data-checksum",
                            "test-labels-checksum", "model-checksum"})
      files.erase(sum);
    set_all({&data}, files);
  } catch (const Misuse& e) {
    throw FileError(sentence(file.string(), ": ", e.what()));
  }
}

Json flat_config(const Json& config) {
  Json out = config;
  for (const char* part : {"options", "data"})
    if (config.contains(part) && config[part].is_object()) {
      out.erase(part);
      out.update(config[part]);
    }
  return out;
}

Json as_json(const Options& options) {
  Json out = Json::object();
  for (const Options::Option& option : options.all()) {
    const std::string text = option.text();
    const bool plain = option.kind == "number" || option.kind == "integer" || option.is_flag();
    out[option.name] = plain ? Json::parse(text) : Json(text);
  }
  return out;
}

std::string plain_words(const Json::exception& trouble) {
  const std::string text =
      trouble.what();  // [json.exception.out_of_range.403] key 'mean' not found
  const auto mark = text.find("] ");
  return mark == std::string::npos ? text : text.substr(mark + 2);
}

std::string indented(const std::string& lines) {
  std::string out;
  for (const char c : lines) out += c == '\n' ? "\n  " : std::string(1, c);
  return out;
}

namespace {

/// "fisherman fit logistic"
std::string full_name(const CLI::App& command) {
  const std::string own = command.get_name();
  return command.get_parent() == nullptr ? own : full_name(*command.get_parent()) + " " + own;
}

/// The command that was given, as far as there is one.
const CLI::App& given_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : given_command(*parsed.front());
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; }))
    out.push_back(inner->get_name());
  return out;
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::string given_words(const CLI::App& app) { return full_name(given_command(app)); }

std::string trouble(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = given_command(app);
  const std::vector<std::string> extras = app.remaining(true), inner = commands_of(command);
  const std::string name = full_name(command);
  const auto is_flag = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  if (!inner.empty() && (extras.empty() || !is_flag(extras.front()))) {
    const std::string there = sentence("there are ", listed(inner));
    if (extras.empty()) return sentence(name, " needs a word after it: ", there);
    return sentence(name, " has no ", shown(extras.front()),
                    did_you_mean(extras.front(), inner, there));
  }
  std::string out;
  for (const std::string& extra : extras) {
    if (!is_flag(extra)) continue;  // the value of one
    const std::string flag = extra.substr(0, extra.find('='));
    out += sentence(out.empty() ? "" : "\n", name, " has no option ", shown(flag),
                    did_you_mean(flag, flags_of(command)));
  }
  if (!out.empty()) return out;
  if (!extras.empty()) return sentence(name, " has no use for ", shown(extras.front()));
  return error.what();
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
