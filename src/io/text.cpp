#include "fisherman/io/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

struct Parsed {
  double value = 0.0;
  std::errc error = std::errc::invalid_argument;
};

/// from_chars knows no locale, but takes no plus either.
Parsed parse(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Parsed parsed;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed.value);
  if (end == text.data() + text.size()) parsed.error = error;
  return parsed;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// How many bytes the UTF-8 sequence that begins with `lead` has; 0 if none begins so.
std::size_t utf8_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a continuation, or a longer spelling of an ASCII character
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

/// The second byte rules out longer spellings than needed, surrogates, and what is past U+10FFFF.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second < 0xA0;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second < 0x90;
  return true;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 11> words = {"",     "?",   "NA",  "N/A",  "n/a", "#N/A",
                                                      "<NA>", "NaN", "nan", "NULL", "null"};
  return std::find(words.begin(), words.end(), trim(text)) != words.end();
}

std::optional<double> parse_number(std::string_view text) {
  const Parsed parsed = parse(text);
  if (parsed.error != std::errc() || !std::isfinite(parsed.value)) return std::nullopt;
  return parsed.value;
}

bool spells_number(std::string_view text) {
  return parse(text).error != std::errc::invalid_argument;
}

bool has_decimal_comma(std::string_view text) {
  text = trim(text);
  if (text.find_first_not_of("+-0123456789.,eE") != std::string_view::npos) return false;
  std::string digits(text);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  return digits.size() < text.size() && parse_number(digits).has_value();
}

std::string number_trouble(std::string_view text) {
  if (trim(text).empty()) return "the value is missing";
  if (is_missing(text)) return sentence("the value is missing (", shown(text), ")");
  const Parsed parsed = parse(text);
  if (parsed.error == std::errc::result_out_of_range)
    return shown(text) + " is outside the range of a double";
  if (parsed.error == std::errc()) return shown(text) + " is not a finite number";
  if (has_decimal_comma(text))
    return shown(text) + " is not a number: numbers have a decimal point, and no comma";
  return shown(text) + " is not a number";
}

std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string csv_field(const std::string& text) {
  const bool formula = text.find_first_of("=+-@\t\r") == 0 && !parse_number(text);
  if (!formula && text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = formula ? "\"'" : "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = utf8_length(lead);
    if (length == 0 || length > text.size()) return false;
    for (std::size_t i = 1; i < length; ++i)
      if (!is_continuation(text[i])) return false;
    if (length > 1 && !second_byte_fits(lead, static_cast<unsigned char>(text[1]))) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  const bool readable = is_utf8(text);
  const bool cut = text.size() > longest;
  if (cut) {
    std::size_t end = longest;
    while (readable && is_continuation(text[end])) --end;  // not through the middle of a character
    text = text.substr(0, end);
  }
  std::string result = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !readable)) {
      constexpr std::string_view hex = "0123456789abcdef";
      result += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    } else {
      result += c;
    }
  }
  return result + (cut ? "…'" : "'");
}

}  // namespace fisherman
