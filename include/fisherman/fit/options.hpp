// An option is described once: name, value, help and rule. Command-line flags, config files, validation,
// help texts and the docs' table all come from here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fisherman {

/// One value of a choice, the word for it, and what it means. E is an enum, or an optional one: nothing is "auto" then.
template <class E>
struct Word {
  E value;
  std::string name;
  std::string meaning = {};
};
template <class E>
using Words = std::vector<Word<E>>;

/// Where a value is among the words; their number if it is none of them.
template <class E>
std::size_t place_of(const E& value, const Words<E>& words) {
  const auto same = [&](const Word<E>& word) { return word.value == value; };
  return std::size_t(std::find_if(words.begin(), words.end(), same) - words.begin());
}

/// The word for a value, which must have one.
template <class E>
const std::string& name_of(const E& value, const Words<E>& words) {
  return words.at(place_of(value, words)).name;
}

class Options {
 public:
  /// What may be said of a number besides its type. Numbers are finite always, and whole ones no larger than 2³¹ − 1, so
  /// that sizes made of two of them do not overflow; all but a seed.
  enum class Rule {
    any,
    positive,
    not_negative,
    fraction,
    not_negative_or_auto,  ///< or -1, which leaves it to the method
    fraction_or_auto,      ///< likewise
    seed                   ///< not negative
  };

  /// One of the words that an option may be, and what it means.
  struct Choice {
    std::string name, help;
  };

  struct Option {
    std::string name;  // as after "--"
    std::string help;
    std::string kind;  // "number", "integer", "text", "flag", or the choices, as "a|b|c"
    std::function<void(const std::string&)> set;  // throws Misuse, naming the option and the rule
    std::function<std::string()> text;            // the value now
    std::string initial;                          // the default, as text
    std::vector<Choice> choices;                  // empty if anything goes
    bool is_flag() const { return kind == "flag"; }
    /// "no-NAME" for a flag that is on by default, which the command line has for it; otherwise empty.
    std::string switched_off_by() const {
      return is_flag() && initial == "true" ? "no-" + name : std::string();
    }
  };

  void add(const std::string& name, double& value, const std::string& help, Rule rule = Rule::any);
  void add(const std::string& name, std::int64_t& value, const std::string& help,
           Rule rule = Rule::not_negative);
  void add(const std::string& name, bool& value, const std::string& help);
  void add(const std::string& name, std::string& value, const std::string& help);
  /// One of `words`. They are parsed and printed here and nowhere else.
  template <class E>
  void add(const std::string& name, E& value, const std::string& help, const Words<E>& words) {
    std::vector<Choice> choices;
    for (const Word<E>& word : words) choices.push_back({word.name, word.meaning});
    add_choice(
        name, help, std::move(choices), [&value, words](std::size_t k) { value = words[k].value; },
        [&value, words] { return place_of(value, words); });
  }

  /// Text of a kind that has a name, such as FILE or COLUMN.
  void add_named(const std::string& name, std::string& value, const std::string& help,
                 const std::string& kind);

  const std::vector<Option>& all() const { return options_; }
  /// By its name, or by its negation. Throws Misuse for a name that does not exist, with the nearest one that does.
  void set(const std::string& name, const std::string& value);

 private:
  void put(Option option);
  void add_choice(const std::string& name, const std::string& help, std::vector<Choice> choices,
                  std::function<void(std::size_t)> choose, std::function<std::size_t()> chosen);
  std::vector<Option> options_;
};

}  // namespace fisherman
