// What write_file (archive.hpp) does with what is there. A stream is written to as it is. Otherwise it makes a new file of a
// random name in the same folder, syncs it and renames it: only regular files are ever replaced, and nothing else of the
// user's is touched. Permissions are those of the file that is replaced, or what the umask leaves.
#pragma once

#include <filesystem>
#include <string_view>

namespace fisherman {

/// Temporary files are called this and 16 hexadecimal digits. Only a kill -9 or a power failure leaves one behind.
inline constexpr std::string_view temporary_prefix = ".fisherman-";

/// What is at a path that is to be written: nothing, a regular file, or a stream (a pipe, a character device such as
/// /dev/null, a socket, or whatever our own standard output is).
enum class PathKind { nothing, file, stream };

/// Throws FileError for what is never written to: a folder, a disk, a symbolic link to a file or to nothing.
PathKind path_kind(const std::filesystem::path& path);

}  // namespace fisherman
