// A fingerprint of a data file, by which a resumed run notices that its data have changed.
#pragma once

#include <filesystem>
#include <string>

namespace fisherman {

/// The CRC-32 of the bytes on disk and their number: `crc32:cbf43926 bytes:9`. It guards against
/// mistakes, not against forgery.
std::string file_checksum(const std::filesystem::path& path);

}  // namespace fisherman
