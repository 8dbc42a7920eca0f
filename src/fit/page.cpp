#include "fisherman/fit/page.hpp"

#include <cmath>
#include <cstdio>

namespace fisherman::report {
namespace {

std::string printed(const char* format, int digits, double value) {
  char buffer[400];  // the longest double with all its digits has 309 before the point
  std::snprintf(buffer, sizeof buffer, format, digits, value);
  return buffer;
}

std::string unusual(double value) {
  if (std::isnan(value)) return "not known";
  return value > 0.0 ? "∞" : "-∞";
}

}  // namespace

std::string figure(double value, int digits) {
  if (!std::isfinite(value)) return unusual(value);
  std::string out = printed("%.*g", digits, value + 0.0);  // -0 is 0
  // Up to a million people rather read the number than its power of ten.
  if (out.find("e+") != std::string::npos && std::abs(value) < 1e7)
    return printed("%.*f", 0, value);
  return out;
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return unusual(value);
  // A huge number has no decimals worth printing, and would not fit a table.
  return std::abs(value) < 1e9 ? printed("%.*f", decimals, value) : printed("%.*g", 6, value);
}

}  // namespace fisherman::report
