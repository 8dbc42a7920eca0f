// Text as others take it: a shell, JSON.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fisherman::cli {

/// For a shell: words that it would take apart or expand are in quotes.
std::string shell_words(const std::vector<std::string>& words);

/// A path as JSON can have it: bytes that are no UTF-8 text as \xNN.
std::string json_text(const std::filesystem::path& path);

}  // namespace fisherman::cli
