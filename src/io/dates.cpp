#include <charconv>
#include <optional>

#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

struct Digits {
  std::size_t length;
  int value;
};

/// Takes the digits at the front away, if there are as many as that.
std::optional<Digits> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
  if (length < least || length > most) return std::nullopt;
  Digits out{length, 0};
  std::from_chars(text.data(), text.data() + length, out.value);
  text.remove_prefix(length);
  return out;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

/// 12:30, 12:30:15.5, 12:30Z, 12:30+01:00, 1:30 pm: the first two numbers decide.
bool begins_as_time(std::string_view text) {
  const auto hour = take_digits(text, 1, 2);
  if (!hour || hour->value > 24 || !take(text, ':')) return false;
  const auto minute = take_digits(text, 2, 2);
  return minute && minute->value < 60 &&
         text.find_first_not_of("0123456789:.,+-Zz aApPmM") == std::string_view::npos;
}

}  // namespace

bool looks_like_date(std::string_view text) {
  text = trim(text);
  if (begins_as_time(text)) return true;
  const auto first = take_digits(text, 1, 4);
  if (!first || first->length == 3 || text.empty()) return false;
  const char separator = text[0];
  if (separator != '-' && separator != '/' && separator != '.') return false;
  text.remove_prefix(1);
  const auto second = take_digits(text, 1, 2);
  if (!second || !take(text, separator)) return false;
  const bool year_first = first->length == 4;
  const auto third = take_digits(text, year_first ? 1 : 2, year_first ? 2 : 4);
  if (!third || third->length == 3) return false;
  // 10.1.12 may as well be a version.
  if (!year_first && third->length == 2 && separator == '.') return false;
  const int a = year_first ? third->value : first->value, b = second->value;  // day and month
  if (a < 1 || b < 1 || a > 31 || b > 31 || (a > 12 && b > 12)) return false;
  if (text.empty()) return true;
  if (text[0] != 'T' && text[0] != ' ') return false;
  return begins_as_time(trim(text.substr(1)));
}

}  // namespace fisherman
