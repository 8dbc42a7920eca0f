// JSON files. Nothing else of the library's headers knows the JSON library, and this one only its names.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fisherman {

/// The one JSON type. Members keep their order.
using Json = nlohmann::ordered_json;

/// Throws FileError, beginning with `name`, unless the text is JSON. What is nested deeper than anything of ours is
/// refused before it is parsed: copying and printing such values recurse.
Json parse_json(const std::string& text, const std::string& name);

/// Throws FileError with the file's name unless it holds a JSON object.
Json read_json(const std::filesystem::path& path);

}  // namespace fisherman
