// Fingerprints of data files: one by which a resumed run notices that its data have changed, and one by which a
// published file is known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "fisherman/io/byte_source.hpp"

namespace fisherman {

/// The CRC-32 of the bytes on disk and their number: `crc32:cbf43926 bytes:9`. It guards against
/// mistakes, not against forgery. Of a table in a folder it is that of table.json, which has the sums of the other files. Of
/// several files (files_named) it is the list of theirs.
std::string file_checksum(const std::filesystem::path& path);
/// Together: the same, of a file that all ranks see. Each of them reads its part.
std::string shared_file_checksum(const std::filesystem::path& path);

/// As file_checksum() has it.
std::string checksum_text(unsigned long crc32, std::uint64_t bytes);

/// The SHA-256 (FIPS 180-4) of what is still to come from the source, as 64 hexadecimal digits. Of a FileSource it
/// is that of the content, however that was packed. watch() is called now and then, and may throw.
std::string sha256(ByteSource& source, const std::function<void()>& watch = {});

}  // namespace fisherman
