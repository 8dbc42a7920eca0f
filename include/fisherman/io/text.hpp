// Cells as text: what is a number, what is missing, and how a cell is shown in an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fisherman {

/// Without the spaces and tabs around it.
std::string_view trim(std::string_view text);

/// A cell that stands for no value: nothing at all, `?`, `NA`, `N/A`, `n/a`, `#N/A`, `<NA>`, `NaN`, `nan`, `NULL` or
/// `null`.
bool is_missing(std::string_view text);

/// The number that the whole text spells, whatever the locale; spaces around it and a leading plus
/// are allowed. Nothing if it spells none, or none that is finite.
std::optional<double> parse_number(std::string_view text);

/// A number, finite or not, in or out of the range of a double.
bool spells_number(std::string_view text);

/// A number but for its commas, as in 1,5 or 1,500.
bool has_decimal_comma(std::string_view text);

/// A date (2024-03-01, 1/2/2024, 1.2.2024), with or without a time, or a time of day.
bool looks_like_date(std::string_view text);

/// Why parse_number gave nothing, as the end of a sentence: "'abc' is not a number".
std::string number_trouble(std::string_view text);

/// The shortest text that parses back to the same number.
std::string number_text(double value);

/// As a CSV file has it: in quotes, if it must be. A spreadsheet takes what begins with =, +, -, @, a tab or a carriage
/// return for a formula, so such text gets a single quote in front, unless it is a number.
std::string csv_field(const std::string& text);

bool is_utf8(std::string_view text);

/// In quotes and fit for a terminal: no more than 40 bytes, and no control characters.
std::string shown(std::string_view text);

}  // namespace fisherman
