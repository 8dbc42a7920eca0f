// A column while its cells come in: of numbers until the first word, of words from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fisherman/io/columns.hpp"

namespace fisherman {

/// Cells are added one by one, and each becomes a double, for somebody to keep: its number or the code of its word.
/// When all are in, the doubles are put back in the same order. Numbers that came before the first word become words
/// only then, so that nothing is kept twice.
class GrowingColumn {
 public:
  /// What errors call a line: "FILE, line 7".
  using Place = std::function<std::string(Index)>;
  GrowingColumn(std::string name, Place place) : name_(std::move(name)), place_(std::move(place)) {}

  const std::string& name() const { return name_; }
  /// What the words take.
  double bytes() const { return bytes_; }

  /// Throws FileError for a word that is not UTF-8.
  double add(std::string_view cell, Index line);
  void begin(Index rows);
  void put(double value);
  Column end();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  /// A word that makes it a column of words, and what may explain it.
  struct Word {
    Index row = -1, line = 0;  // the first such word; no row: none so far
    std::string text = {};
    bool all_dates = true, all_with_commas = true, all_infinite = true;  // all such words
  };

  double code_of(std::string_view text);
  std::string refusal() const;

  std::string name_;
  Place place_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes_;
  Word word_;
  Index rows_ = 0;  // added, and then put
  bool any_number_ = false;
  double bytes_ = 0.0;
  Column column_;
};

}  // namespace fisherman
