#include "fisherman/core/error.hpp"

#include <cstdio>

namespace fisherman::detail {

void Piece::add_to(std::string& out) const {
  switch (kind_) {
    case Kind::text:
      out += text_;
      break;
    case Kind::character:
      out += character_;
      break;
    case Kind::number: {
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, "%g", number_);
      out += buffer;
      break;
    }
    case Kind::integer:
      out += std::to_string(integer_);
      break;
    case Kind::natural:
      out += std::to_string(natural_);
      break;
  }
}

std::string joined(std::initializer_list<Piece> pieces) {
  std::string out;
  for (const Piece& piece : pieces) piece.add_to(out);
  return out;
}

}  // namespace fisherman::detail
