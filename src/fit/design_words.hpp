// What --terms, --reference and --group say, in the names of columns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fisherman/fit/design.hpp"

namespace fisherman {

Words<MissingValues> missing_words();

struct NamedFactor {
  std::string column;
  Index power = 1;
};
using NamedTerm = std::vector<NamedFactor>;

struct NamedGroup {
  std::string column;
  std::vector<NamedTerm> slopes;
};

/// "age, age^2, age:sex". A name of `columns` is one column, whatever it holds. Throws Misuse, naming the option, for
/// what is not to be understood.
std::vector<NamedTerm> parse_terms(const std::string& text, const std::vector<std::string>& columns,
                                   const std::string& option = "--terms");
/// "colour=red, sex=male".
std::vector<std::pair<std::string, std::string>> parse_references(const std::string& text);
/// "school: age, income; region".
std::vector<NamedGroup> parse_groups(const std::string& text,
                                     const std::vector<std::string>& columns);

}  // namespace fisherman
