// Text as others take it: a shell, a spreadsheet, JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fisherman::cli {

/// For a shell: words that it would take apart or expand are in quotes.
std::string shell_words(const std::vector<std::string>& words);

/// As a CSV file has it: in quotes, if it must be. A spreadsheet takes what begins with =, +, -, @, a tab or a carriage
/// return for a formula, so such text gets a single quote in front, unless it is a number.
std::string csv_field(const std::string& text);

/// A path as JSON can have it: bytes that are no UTF-8 text as \xNN.
std::string json_text(const std::filesystem::path& path);

}  // namespace fisherman::cli
