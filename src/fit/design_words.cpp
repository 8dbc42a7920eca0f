#include "design_words.hpp"

#include <algorithm>

#include "fisherman/core/error.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {

Words<MissingValues> missing_words() {
  return {{MissingValues::refuse, "refuse", "stop, and say how many there are"},
          {MissingValues::drop, "drop", "leave out the rows that have any"},
          {MissingValues::mean, "mean",
           "numbers take the mean of their column, and words a level of their own"},
          {MissingValues::indicator, "indicator",
           "the same, and a column of its own says which numbers were missing"}};
}

void DesignSettings::describe_design(Options& o) {
  o.add_named("terms", terms,
              "what the outcome depends on, with commas between: columns, powers (age^2) and "
              "products (age:sex); a dot is every other column, and 1 alone is none; names with "
              "commas, colons and the like stand in backquotes (default: every column)",
              "TERMS");
  o.add_named(
      "reference", reference,
      "levels that others are compared with, as \"colour=red, sex=male\" (default: the "
      "first level); a column of numbers that is named here is coded by levels; for multinomial "
      "also the class that others are compared with",
      "LEVELS");
  o.add_named("weights", weights, "column that says how often each row counts", "COLUMN");
  o.add_named("offset", offset, "column that is added to the linear predictor as it is", "COLUMN");
  o.add_named("trials", trials, "column of the number of trials of each row", "COLUMN");
  o.add_named("group", group,
              "column of groups, each with an intercept of its own, and with slopes for the terms "
              "named after a colon, as \"school: age\"; semicolons separate several",
              "GROUPS");
  o.add("missing", missing, "what to do with missing values (empty, NA, ?)", missing_words());
  o.add("intercept", intercept, "an intercept besides the terms");
  o.add("no-standardize", no_standardize,
        "use the columns as they are, without standardising them");
}

namespace {

/// The parts between separators that are not in backquotes, without the spaces around them.
std::vector<std::string> parts_of(const std::string& text, char separator,
                                  const std::string& option) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '`') quoted = !quoted;
    if (c == separator && !quoted)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  require(!quoted, option, " is ", shown(text), ", but a backquote in it is not closed");
  for (std::string& part : parts) {
    part = std::string(trim(part));
    require(!part.empty(), option, " is ", shown(text), ", but has an empty place between its '",
            separator, "'");
  }
  return parts;
}

std::string without_backquotes(const std::string& text, const std::string& option) {
  if (text.find('`') == std::string::npos) return text;
  const std::string inner = text.size() > 2 ? text.substr(1, text.size() - 2) : "";
  require(text[0] == '`' && text.back() == '`' && !inner.empty() &&
              inner.find('`') == std::string::npos,
          option, " has ", shown(text), ", but backquotes stand around a whole name");
  return inner;
}

NamedFactor parse_factor(const std::string& text, const std::vector<std::string>& columns,
                         const std::string& option) {
  const std::size_t power = text.rfind('^');
  if (power == std::string::npos || text.find('`', power) != std::string::npos ||
      std::find(columns.begin(), columns.end(), text) != columns.end())
    return {without_backquotes(text, option)};
  const std::string exponent(trim(text.substr(power + 1)));
  require(exponent.size() == 1 && exponent[0] >= '2' && exponent[0] <= '9', option, " has ",
          shown(text), ", but a power is a whole number from 2 to 9");
  return {without_backquotes(std::string(trim(text.substr(0, power))), option),
          Index(exponent[0] - '0')};
}

}  // namespace

std::vector<NamedTerm> parse_terms(const std::string& text, const std::vector<std::string>& columns,
                                   const std::string& option) {
  std::vector<NamedTerm> out;
  for (const std::string& part : parts_of(text, ',', option)) {
    NamedTerm& term = out.emplace_back();
    if (std::find(columns.begin(), columns.end(), part) != columns.end()) {
      term.push_back({part});
      continue;
    }
    for (const std::string& factor : parts_of(part, ':', option))
      term.push_back(parse_factor(factor, columns, option));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> parse_references(const std::string& text) {
  const std::string option = "--reference";
  std::vector<std::pair<std::string, std::string>> out;
  if (trim(text).empty()) return out;
  for (const std::string& part : parts_of(text, ',', option)) {
    const std::vector<std::string> sides = parts_of(part, '=', option);
    require(sides.size() == 2, option, " has ", shown(part),
            ", but must have a column and a level, as colour=red");
    const std::string column = without_backquotes(sides[0], option);
    for (const auto& [other, level] : out)
      require(other != column, option, " names column ", shown(column), " twice");
    out.emplace_back(column, without_backquotes(sides[1], option));
  }
  return out;
}

std::vector<NamedGroup> parse_groups(const std::string& text,
                                     const std::vector<std::string>& columns) {
  const std::string option = "--group";
  std::vector<NamedGroup> out;
  if (trim(text).empty()) return out;
  for (const std::string& part : parts_of(text, ';', option)) {
    NamedGroup& group = out.emplace_back();
    if (std::find(columns.begin(), columns.end(), part) != columns.end()) {
      group.column = part;
      continue;
    }
    std::size_t colon = 0;
    for (bool quoted = false; colon < part.size() && (quoted || part[colon] != ':'); ++colon)
      quoted ^= part[colon] == '`';
    group.column = without_backquotes(std::string(trim(part.substr(0, colon))), option);
    require(!group.column.empty(), option, " has ", shown(part), ", but no group before the colon");
    if (colon < part.size()) group.slopes = parse_terms(part.substr(colon + 1), columns, option);
  }
  return out;
}

}  // namespace fisherman
