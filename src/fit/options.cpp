#include "fisherman/fit/options.hpp"

#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/nearest.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

template <class T>
T parsed(const std::string& name, const std::string& text, const char* kind) {
  T value{};
  const char *first = text.data(), *last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  require(error == std::errc() && end == last, "--", name, " is ", shown(text), ", but must be ",
          kind);
  return value;
}

constexpr std::int64_t largest_count = 2147483647;

template <class T>
void check(const std::string& name, T value, Options::Rule rule) {
  using Rule = Options::Rule;
  if constexpr (std::is_floating_point_v<T>)
    require(std::isfinite(value), "--", name, " is ", value, ", but must be finite");
  const bool fraction = value >= T(0) && value <= T(1);
  const auto holds = [&](bool rule_holds, const char* words) {
    require(rule_holds, "--", name, " is ", value, ", but must ", words);
  };
  if (rule == Rule::positive) holds(value > T(0), "be positive");
  if (rule == Rule::not_negative || rule == Rule::seed) holds(value >= T(0), "not be negative");
  if (rule == Rule::fraction) holds(fraction, "lie between 0 and 1");
  if (rule == Rule::not_negative_or_auto)
    holds(value >= T(0) || value == T(-1), "not be negative, or be -1 (chosen by the method)");
  if (rule == Rule::fraction_or_auto)
    holds(fraction || value == T(-1), "lie between 0 and 1, or be -1 (chosen by the method)");
  if constexpr (std::is_integral_v<T>)
    holds(rule == Rule::seed || value <= T(largest_count), "not be larger than 2147483647");
}

std::string shortest(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

}  // namespace

void Options::put(Option option) {
  option.initial = option.text();
  options_.push_back(std::move(option));
}

void Options::add(const std::string& name, double& value, const std::string& help, Rule rule) {
  put({name,
       help,
       "number",
       [&value, name, rule](const std::string& text) {
         const auto number = parsed<double>(name, text, "a number");
         check(name, number, rule);
         value = number;
       },
       [&value] { return shortest(value); },
       {},
       {}});
}

void Options::add(const std::string& name, std::int64_t& value, const std::string& help,
                  Rule rule) {
  put({name,
       help,
       "integer",
       [&value, name, rule](const std::string& text) {
         const auto number = parsed<std::int64_t>(name, text, "a whole number");
         check(name, number, rule);
         value = number;
       },
       [&value] { return std::to_string(value); },
       {},
       {}});
}

void Options::add(const std::string& name, bool& value, const std::string& help) {
  put({name,
       help,
       "flag",
       [&value, name](const std::string& text) {
         require(text == "true" || text == "false", "--", name, " is ", shown(text),
                 ", but must be true or false");
         value = text == "true";
       },
       [&value] { return std::string(value ? "true" : "false"); },
       {},
       {}});
}

void Options::add(const std::string& name, std::string& value, const std::string& help) {
  put({name,
       help,
       "text",
       [&value](const std::string& text) { value = text; },
       [&value] { return value; },
       {},
       {}});
}

void Options::add_choice(const std::string& name, const std::string& help,
                         std::vector<Choice> choices, std::function<void(std::size_t)> choose,
                         std::function<std::size_t()> chosen) {
  std::string kind;
  for (const Choice& choice : choices) kind += (kind.empty() ? "" : "|") + choice.name;
  put({name,
       help,
       kind,
       [name, kind, choices, choose = std::move(choose)](const std::string& text) {
         std::size_t k = 0;
         while (k < choices.size() && choices[k].name != text) ++k;
         require(k < choices.size(), "--", name, " is ", shown(text), ", but must be one of ",
                 kind);
         choose(k);
       },
       [name, kind, choices, chosen = std::move(chosen)] {
         const std::size_t k = chosen();
         require(k < choices.size(), "--", name, " has a value for which there is no word, ",
                 "but must be one of ", kind);
         return choices[k].name;
       },
       {},
       choices});
}

void Options::add_named(const std::string& name, std::string& value, const std::string& help,
                        const std::string& kind) {
  add(name, value, help);
  options_.back().kind = kind;
}

void Options::set(const std::string& name, const std::string& value) {
  std::vector<std::string> names;
  for (const Option& option : options_) {
    if (option.name == name) return option.set(value);
    // A flag that is on by default is switched off by its negation.
    if (!name.empty() && option.switched_off_by() == name) {
      require(value == "true" || value == "false", "--", name, " is '", value,
              "', but must be true or false");
      return option.set(value == "true" ? "false" : "true");
    }
    names.push_back(option.name);
  }
  throw Misuse(sentence("there is no option ", shown(name), did_you_mean(name, names)));
}

}  // namespace fisherman
