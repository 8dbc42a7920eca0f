// Two ways to fail. Misuse is the caller's mistake and names the field, its value and the rule it
// broke. NotFinite is numerical trouble: the driver catches it, backs off and tries again.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include "fisherman/core/types.hpp"

namespace fisherman {

struct Misuse : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct NotFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file that cannot be read or written, or does not hold what it should.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The parts, printed one after the other.
template <class... Parts>
std::string sentence(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// Throws Misuse with the sentence made of `parts` unless `holds`.
template <class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw Misuse(sentence(parts...));
}

template <class Derived>
void require_size(const Eigen::DenseBase<Derived>& v, Index rows, const char* what) {
  require(v.rows() == rows, what, " has ", v.rows(), " rows, but must have ", rows);
}

template <class Derived>
void require_finite(const Eigen::DenseBase<Derived>& v, const char* what) {
  if (!v.derived().allFinite()) throw NotFinite(sentence(what, " holds a NaN or an infinity"));
}

}  // namespace fisherman
