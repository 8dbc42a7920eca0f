// Files that take long to make and are kept in a folder of their own.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>

namespace fisherman {

/// The file, made if it is not there. `make` gets an empty folder, which is removed afterwards, and returns the path of
/// what it made; that is renamed, so nobody sees half a file. If another process is making it, this one waits and
/// calls `waiting` ten times a second. The folder is made for this user alone if there is none.
std::filesystem::path kept_file(
    const std::filesystem::path& file,
    const std::function<std::filesystem::path(const std::filesystem::path& work)>& make,
    const std::function<void()>& waiting);

/// The SHA-256 of the parts, each told from the next, as 64 hexadecimal digits.
std::string content_key(std::initializer_list<std::string> parts);

}  // namespace fisherman
