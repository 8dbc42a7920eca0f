#include "growing_column.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// Number and word, in the order of labels.
struct LevelKey {
  bool is_word;
  double number;
  std::string text;
  std::int32_t code;

  bool operator<(const LevelKey& other) const {
    return std::tie(is_word, number, text) < std::tie(other.is_word, other.number, other.text);
  }
};

}  // namespace

double GrowingColumn::code_of(std::string_view text) {
  const auto found = codes_.find(text);
  if (found != codes_.end()) return double(found->second);
  // In the map, then to be sorted, and at last as a level.
  bytes_ += 3.0 * double(text.size()) + double(sizeof(LevelKey) + 2 * sizeof(std::string)) + 64.0;
  const auto code = std::int32_t(codes_.size());
  codes_.emplace(std::string(text), code);
  return double(code);
}

double GrowingColumn::add(std::string_view cell, Index line) {
  const Index row = rows_++;
  cell = trim(cell);
  if (is_missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  if (const auto number = parse_number(cell)) {
    any_number_ = true;
    return word_.row < 0 ? *number : code_of(level_text(cell));
  }
  if (!is_utf8(cell))
    throw FileError(sentence(place_(line), ", column ", shown(name_), ": the word ", shown(cell),
                             " is not UTF-8 text"));
  if (word_.row < 0) word_ = {.row = row, .line = line, .text = std::string(cell.substr(0, 200))};
  word_.all_dates = word_.all_dates && looks_like_date(cell);
  word_.all_with_commas = word_.all_with_commas && has_decimal_comma(cell);
  word_.all_infinite = word_.all_infinite && spells_number(cell);
  return code_of(cell);
}

void GrowingColumn::begin(Index rows) {
  rows_ = 0;
  if (word_.row < 0)
    column_.numbers.resize(rows);
  else
    column_.codes.reserve(std::size_t(rows));
}

void GrowingColumn::put(double value) {
  const Index row = rows_++;
  if (word_.row < 0)
    column_.numbers(row) = value;
  else if (std::isnan(value))
    column_.codes.push_back(-1);
  else
    column_.codes.push_back(
        std::int32_t(row < word_.row ? code_of(number_text(value + 0.0)) : value));
}

Column GrowingColumn::end() {
  column_.name = name_;
  if (word_.row < 0) return std::move(column_);
  column_.refusal = refusal();
  std::vector<LevelKey> keys;
  keys.reserve(codes_.size());
  while (!codes_.empty()) {
    auto node = codes_.extract(codes_.begin());
    const auto number = parse_number(node.key());
    keys.push_back({!number, number.value_or(0.0), std::move(node.key()), node.mapped()});
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::int32_t> place(keys.size());
  column_.levels.reserve(keys.size());
  for (LevelKey& key : keys) {
    place[std::size_t(key.code)] = std::int32_t(column_.levels.size());
    column_.levels.push_back(std::move(key.text));
  }
  for (std::int32_t& code : column_.codes)
    if (code >= 0) code = place[std::size_t(code)];
  return std::move(column_);
}

std::string GrowingColumn::refusal() const {
  const std::string at = sentence(place_(word_.line), ", column ", shown(name_), ": ");
  if (word_.all_infinite || word_.all_with_commas) return at + number_trouble(word_.text);
  if (word_.all_dates && !any_number_)
    return sentence(at, shown(word_.text),
                    " is a date or a time, and a regression needs numbers or categories: leave the "
                    "column out (--drop), or write it as a number (of days, say)");
  return "";
}

}  // namespace fisherman
