// Public data sets: where they are to be had, and by what they are known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fisherman::cli::datasets {

/// A file of the data folder. Checksums are of the content, unpacked if it is packed: gzip leaves different bytes
/// for different versions of itself, and the same file in another wrapping is the same data.
struct DataFile {
  std::string file, url;
  std::string make;  // how it is made from the download (make.hpp); empty: it is the download
  std::string download_sha256;  // of what it is made from; empty: not known
  std::string sha256;
  std::int64_t bytes = 0;  // of the download; 0: not known
};

struct DataSet {
  std::string name, help, source, licence;
  std::vector<DataFile> files;

  std::int64_t bytes() const;
};

using Catalogue = std::vector<DataSet>;

/// Those that fisherman reproduce needs, from the program itself.
const Catalogue& public_catalogue();

/// Throws FileError, naming the file, the data set and the field, if it is not a catalogue.
Catalogue read_catalogue(const std::filesystem::path& path);

/// The name of the public data set that this file is of; empty if it is of none.
std::string set_with(const std::string& file);

/// "9.9 MB", "102 kB".
std::string size_words(std::int64_t bytes);

}  // namespace fisherman::cli::datasets
