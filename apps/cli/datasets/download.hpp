// One file from the network into the data folder: whole and right, or not at all.
#pragma once

#include <filesystem>
#include <string>

#include "catalogue.hpp"

namespace fisherman::cli::datasets {

/// What is in the data folder under a file's name.
struct Found {
  enum Kind { nothing, right, different } kind;
  std::string trouble;  // why it is different
};
Found found(const DataFile& file, const std::filesystem::path& folder);

/// The address of the file below another base: of a mirror, or a folder of this machine.
std::string address(const DataFile& file, const std::string& base);

/// Downloads with curl into FILE.part, going on where that ends; compares checksums; makes what is to be made; and
/// puts the result in its place in one step. Returns false if a signal came first: then FILE.part stays, as it does
/// if the connection fails. If the checksum is wrong it is removed. Throws FileError.
bool fetch(const DataFile& file, const std::string& url, const std::filesystem::path& folder);

}  // namespace fisherman::cli::datasets
