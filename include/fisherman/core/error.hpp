// Two ways to fail. Misuse is the caller's mistake and names the field, its value and the rule it
// broke. NotFinite is numerical trouble: the driver catches it, backs off and tries again.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

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

namespace detail {

/// Something that a sentence is made of: text or a number. It becomes text in one place, error.cpp, and not
/// anew wherever a sentence is written.
class Piece {
 public:
  Piece(std::string_view text) : text_(text), kind_(Kind::text) {}   // NOLINT
  Piece(const std::string& text) : Piece(std::string_view(text)) {}  // NOLINT
  Piece(const char* text) : Piece(std::string_view(text)) {}         // NOLINT
  Piece(char c) : character_(c), kind_(Kind::character) {}           // NOLINT
  Piece(double value) : number_(value), kind_(Kind::number) {}       // NOLINT
  template <std::signed_integral T>
  Piece(T value) : integer_(value), kind_(Kind::integer) {}  // NOLINT
  template <std::unsigned_integral T>
  Piece(T value) : natural_(value), kind_(Kind::natural) {}  // NOLINT

  void add_to(std::string& out) const;

 private:
  enum class Kind { text, character, number, integer, natural };
  union {
    std::string_view text_;
    char character_;
    double number_;
    std::int64_t integer_;
    std::uint64_t natural_;
  };
  Kind kind_;
};

std::string joined(std::initializer_list<Piece> pieces);

}  // namespace detail

/// The parts, printed one after the other; numbers with six significant digits.
template <class... Parts>
std::string sentence(const Parts&... parts) {
  return detail::joined({detail::Piece(parts)...});
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
