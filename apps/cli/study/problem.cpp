#include "problem.hpp"

#include <algorithm>
#include <sstream>

#include "fisherman/core/error.hpp"
#include "fisherman/core/version.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman::cli::study {

Problem::Problem(const FitKind& of) : kind(&of) {}

void Problem::add_to(CLI::App& command, std::vector<std::string> varied) {
  Options data_options;
  describe(data_options);
  data_flags_.add_to(command, data_options);
  command.add_option("--config", config, "a JSON file of options that all trials share")
      ->type_name("FILE");
  for (const char* ours : {"seed", "threads"}) varied.emplace_back(ours);
  flags_.add_to(command, kind->options(), varied);
}

void Problem::apply() {
  const std::unique_ptr<FitSettings> settings = kind->settings();
  Options& options = settings->options;
  Options data_options;
  describe(data_options);
  if (!config.empty()) apply_config(config, kind->name, {&options}, data_options);
  flags_.apply(options);
  data_flags_.apply(data_options);
  check();
  require(data != standard_input,
          "--data is standard input, but every trial reads the data again; save them in a file "
          "first");
  shared_.clear();
  for (const Options::Option& option : options.all())
    if (option.text() != option.initial) shared_.emplace_back(option.name, option.text());
  const std::int64_t iterations = std::stoll(shared_value("iterations"));
  require(iterations > 0, "--iterations is not given, but all trials have to do the same number");
  // A hundred values are enough to draw a line, and seldom cost much.
  const auto given = [](const auto& setting) { return setting.first == "eval-every"; };
  if (std::none_of(shared_.begin(), shared_.end(), given))
    shared_.emplace_back("eval-every", std::to_string(std::max<std::int64_t>(1, iterations / 100)));
}

void Problem::share(const Settings& settings) { shared_ = settings; }

std::unique_ptr<FitSettings> Problem::settings_of(const Settings& own) const {
  std::unique_ptr<FitSettings> out = kind->settings();
  for (const auto& [name, value] : shared_) out->options.set(name, value);
  for (const auto& [name, value] : own) out->options.set(name, value);
  return out;
}

Command Problem::words(const Options& options) const {
  Command out = {kind->name, "--data", std::filesystem::absolute(data).string()};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) out.insert(out.end(), {flag, value});
  };
  add("--label", label);
  add("--labels", labels.empty() ? "" : std::filesystem::absolute(labels).string());
  add("--drop", drop);
  add("--columns", columns > 0 ? std::to_string(columns) : "");
  if (no_header) out.emplace_back("--no-header");
  for (const Options::Option& option : options.all()) {
    if (option.text() == option.initial) continue;
    const std::string off = option.switched_off_by();
    out.push_back("--" + (off.empty() ? option.name : off));
    if (!option.is_flag()) out.push_back(option.text());
  }
  return out;
}

Command Problem::trial(const Settings& own, std::int64_t seed) const {
  for (const auto& [name, value] : own)
    require(name != "seed", "seed=", value,
            " is given among the settings to try, but every trial has its own: ",
            "--seeds says how many");
  const std::unique_ptr<FitSettings> settings = settings_of(own);
  settings->options.set("seed", std::to_string(seed));
  return words(settings->options);
}

Command Problem::reference() const {
  const std::unique_ptr<FitSettings> settings = kind->settings();
  Options& options = settings->options;
  // What makes it the same problem, and nothing about how it is solved.
  for (const std::string& name : kind->problem_options) options.set(name, shared_value(name));
  options.set("method", kind->reference_method);
  return words(options);
}

Json Problem::config_of(const Settings& own) const {
  const std::unique_ptr<FitSettings> settings = settings_of(own);
  const Options& options = settings->options;
  const Json all = as_json(options);
  Json out = Json::object();
  for (const Options::Option& option : options.all())
    if (option.text() != option.initial && option.name != "eval-every")
      out[option.name] = all[option.name];
  return out;
}

Json Problem::identity() const {
  Json out;
  out["model"] = kind->name;
  out["data"] = std::filesystem::absolute(data).string();
  out["checksum"] = file_checksum(data);
  if (!label.empty()) out["label"] = label;
  if (!drop.empty()) out["drop"] = drop;
  if (columns > 0) out["columns"] = columns;
  if (no_header) out["header"] = false;
  if (!labels.empty()) {
    out["labels"] = std::filesystem::absolute(labels).string();
    out["labels_checksum"] = file_checksum(labels);
  }
  for (const auto& [name, value] : shared_) out[name] = value;
  out["version"] = version();
  return out;
}

Settings Problem::with_defaults(Settings own, const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    const auto& all = kind->options().all();
    const auto option =
        std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.name == name; });
    require(option != all.end(), "fit ", kind->name, " has no option '", name, "'");
    own.emplace_back(name, option->initial);
  }
  return own;
}

std::string Problem::shared_value(const std::string& name) const {
  for (const auto& [key, value] : shared_)
    if (key == name) return value;
  for (const Options::Option& option : kind->options().all())
    if (option.name == name) return option.initial;
  return "";
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);)
    if (const std::string_view trimmed = trim(part); !trimmed.empty()) out.emplace_back(trimmed);
  return out;
}

Settings parse_settings(const std::vector<std::string>& words) {
  Settings out;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      out.emplace_back(word, "true");
    else
      out.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return out;
}

std::vector<Arm> parse_arms(const std::string& text) {
  std::vector<Arm> arms;
  for (const std::string& part : split(text, ';')) {
    const auto colon = part.find(": ");
    std::vector<std::string> words =
        split(colon == std::string::npos ? part : part.substr(colon + 1), ' ');
    require(!words.empty(), "--methods: '", part, "' names no method");
    words[0].insert(0, "method=");
    arms.push_back({part.substr(0, colon), parse_settings(words)});
  }
  require(!arms.empty(), "--methods names no method");
  for (std::size_t i = 0; i < arms.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      require(arms[i].label != arms[j].label, "--methods names '", arms[i].label, "' twice");
  return arms;
}

}  // namespace fisherman::cli::study
