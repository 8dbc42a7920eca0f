#include "command.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string_view>

#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
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

namespace {

void set_all(Options& options, const nlohmann::json& values) {
  for (const auto& [name, value] : values.items())
    options.set(name, value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

void apply_config(const std::filesystem::path& file, const std::string& kind, Options& options,
                  Options& data) {
  nlohmann::json config = read_json(file);
  try {
    const bool of_a_run = config.contains("options") && config["options"].is_object();
    if (!of_a_run) return set_all(options, config);
    const nlohmann::json made_by = config.value("fit", nlohmann::json(kind));
    require(made_by == kind, "is of a fit of the kind ", made_by.dump(), ", not '", kind, "'");
    set_all(options, config["options"]);
    nlohmann::json files = config.value("data", nlohmann::json::object());
    require(files.is_object(), "its 'data' must be an object");
    for (const char* sum : {"checksum", "labels-checksum", "test-data-checksum"}) files.erase(sum);
    set_all(data, files);
  } catch (const Misuse& e) {
    throw FileError(sentence(file.string(), ": ", e.what()));
  }
}

nlohmann::json flat_config(const nlohmann::json& config) {
  nlohmann::json out = config;
  for (const char* part : {"options", "data"})
    if (config.contains(part) && config[part].is_object()) {
      out.erase(part);
      out.update(config[part]);
    }
  return out;
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

namespace {

/// Throws FileError if brackets outside of strings are nested deeper than anything of ours.
void require_shallow(const std::string& text, const std::string& name) {
  constexpr Index deepest = 64;
  Index depth = 0, line = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    in_string = c == '"';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > deepest)
      throw FileError(sentence(name, ", line ", line, ": brackets are nested more than ", deepest,
                               " deep, which nothing of ours is"));
  }
}

/// All of it, unless the values that it would become have no room in memory.
std::string bounded_text(const std::filesystem::path& path) {
  constexpr double growth = 20.0;  // "1," takes 16 bytes as a value, and lists grow by copying
  if (std::filesystem::is_directory(path))
    throw FileError(path.string() + ": is a folder, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError(path.string() + ": cannot be opened");
  const double most = memory_now().left / growth;
  std::string text, block(std::size_t(1) << 16, '\0');
  while (in.read(block.data(), std::streamsize(block.size())), in.gcount() > 0) {
    text.append(block.data(), std::size_t(in.gcount()));
    if (double(text.size()) > most)
      throw FileError(sentence(path.string(), ": has more than ", gigabytes(most),
                               " of JSON, which needs ", growth, " times that as memory; ",
                               memory_now().words));
  }
  return text;
}

}  // namespace

nlohmann::json parse_json(const std::string& text, const std::string& name) {
  require_shallow(text, name);
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) throw FileError(name + ": is not JSON");
  return value;
}

std::string plain_words(const nlohmann::json::exception& trouble) {
  const std::string text =
      trouble.what();  // [json.exception.out_of_range.403] key 'mean' not found
  const auto mark = text.find("] ");
  return mark == std::string::npos ? text : text.substr(mark + 2);
}

nlohmann::json read_json(const std::filesystem::path& path) {
  nlohmann::json value;
  try {
    value = parse_json(bounded_text(path), path.string());
  } catch (const std::filesystem::filesystem_error&) {
    throw FileError(path.string() + ": cannot be opened");
  }
  if (!value.is_object()) throw FileError(path.string() + ": is not a JSON object");
  return value;
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
