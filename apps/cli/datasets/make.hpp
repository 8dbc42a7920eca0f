// Data files that are made from what the archives hold, because ours are CSV with a header, or trimmed.
#pragma once

#include <string>

#include "fisherman/io/byte_source.hpp"

namespace fisherman::cli::datasets {

/// - trim: the lines without spaces at their ends
/// - german: UCI's german.data-numeric as CSV, label 1 being its class 2, a bad risk
/// - census: the six numbers of UCI's adult.data as CSV, label 1 being an income above 50K
/// Throws FileError, naming the line, if it is not what it should be.
std::string converted(const std::string& make, ByteSource& download);

bool can_make(const std::string& make);

/// "trim, german, census".
std::string makes_words();

}  // namespace fisherman::cli::datasets
