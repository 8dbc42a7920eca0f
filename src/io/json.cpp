#include "fisherman/io/json.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {
namespace {

/// Throws FileError if brackets outside of strings are nested deeper than anything of ours.
void require_shallow(const std::string& text, const std::string& name) {
  constexpr Index deepest = 64;
  Index depth = 0, line = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    in_string = c == '"';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > deepest)
      throw FileError(sentence(name, ", line ", line, ": brackets are nested more than ", deepest,
                               " deep, which nothing of ours is"));
  }
}

/// All of it, unless the values that it would become have no room in memory.
std::string bounded_text(const std::filesystem::path& path) {
  constexpr double growth = 20.0;  // "1," takes 16 bytes as a value, and lists grow by copying
  if (std::filesystem::is_directory(path))
    throw FileError(path.string() + ": is a folder, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError(path.string() + ": cannot be opened");
  const double most = memory_now().left / growth;
  std::string text, block(std::size_t(1) << 16, '\0');
  while (in.read(block.data(), std::streamsize(block.size())), in.gcount() > 0) {
    text.append(block.data(), std::size_t(in.gcount()));
    if (double(text.size()) > most)
      throw FileError(sentence(path.string(), ": has more than ", gigabytes(most),
                               " of JSON, which needs ", growth, " times that as memory; ",
                               memory_now().words));
  }
  return text;
}

}  // namespace

Json parse_json(const std::string& text, const std::string& name) {
  require_shallow(text, name);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw FileError(name + ": is not JSON");
  return value;
}

Json read_json(const std::filesystem::path& path) {
  Json value;
  try {
    value = parse_json(bounded_text(path), path.string());
  } catch (const std::filesystem::filesystem_error&) {
    throw FileError(path.string() + ": cannot be opened");
  }
  if (!value.is_object()) throw FileError(path.string() + ": is not a JSON object");
  return value;
}

}  // namespace fisherman
