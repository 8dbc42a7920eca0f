#include "quoting.hpp"

#include "fisherman/io/text.hpp"

namespace fisherman::cli {

std::string shell_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    const bool plain = word.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                           "-_./=:,+") == std::string::npos &&
                       !word.empty() && word[0] != '=';  // which zsh expands
    out += out.empty() ? "" : " ";
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
    out += '\'';
  }
  return out;
}

std::string json_text(const std::filesystem::path& path) {
  std::string text = path.string();
  if (is_utf8(text)) return text;
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view hex = "0123456789abcdef";
    if (byte < 0x80)
      out += c;
    else
      out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
  }
  return out;
}

}  // namespace fisherman::cli
