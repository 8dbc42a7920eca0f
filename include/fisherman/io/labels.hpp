// From labels as a file spells them to classes 0, 1, … Where ranks have parts of the labels, the classes are those of all:
// finding them is done together.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// The order of classes and levels: numbers by value and before all text, text by the alphabet.
bool label_before(const std::string& a, const std::string& b);

struct BinaryLabels {
  Vector y;                            ///< 0 or 1, one a row
  std::array<std::string, 2> classes;  ///< how the file spells 0 and 1
};

/// The labels must have exactly two values. Numbers are compared as numbers, so 1 and 1.0 are one
/// value and -1 comes before +1; anything else goes by the alphabet. The larger is class 1. Throws
/// FileError, naming the values, after `where` (the file, say).
BinaryLabels binary_labels(const std::vector<std::string>& labels, const std::string& where);

/// 0 or 1 for labels of new data, by classes that are known already. A value that is neither is a
/// FileError, which counts rows from `first` on.
Vector binary_labels(const std::vector<std::string>& labels,
                     const std::array<std::string, 2>& classes, const std::string& where,
                     Index first = 0);

struct ClassLabels {
  std::vector<int> y;                ///< 0 … K−1, one a row
  std::vector<std::string> classes;  ///< how the file spells them, in the order of binary_labels
};

/// Two classes or more, and no more than 1,000: beyond that it is hardly a label.
ClassLabels class_labels(const std::vector<std::string>& labels, const std::string& where);

/// The same by classes that are known already. Another value is a FileError, which counts rows from `first` on.
std::vector<int> class_labels(const std::vector<std::string>& labels,
                              const std::vector<std::string>& classes, const std::string& where,
                              Index first = 0);

}  // namespace fisherman
