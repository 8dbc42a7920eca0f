#include "png.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "fisherman/core/error.hpp"

namespace fisherman::cli::report {
namespace {

using Colour = std::array<std::uint8_t, 3>;

Colour colour(double share) {  // of the largest, -1 to 1
  constexpr std::array<double, 3> red = {178, 24, 43}, blue = {33, 102, 172};
  Colour out{};
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = std::uint8_t(
        std::lround(255.0 + std::abs(share) * ((share > 0.0 ? red : blue)[c] - 255.0)));
  return out;
}

std::string big_endian(std::uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

std::string chunk(const std::string& type, const std::string& bytes) {
  const std::string body = type + bytes;
  const auto* const first = reinterpret_cast<const Bytef*>(body.data());
  return big_endian(std::uint32_t(bytes.size())) + body +
         big_endian(std::uint32_t(crc32(0, first, uInt(body.size()))));
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(uLong(bytes.size()));
  std::string out(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(out.data()), &size,
               reinterpret_cast<const Bytef*>(bytes.data()), uLong(bytes.size())) != Z_OK)
    throw FileError("a picture could not be compressed");
  out.resize(size);
  return out;
}

}  // namespace

std::string tiles_png(const std::vector<Matrix>& tiles, Index across, Index pixels) {
  constexpr Index gap = 6;
  constexpr Colour between = {255, 255, 255};
  const Index high = tiles.at(0).rows() * pixels, wide = tiles[0].cols() * pixels;
  const Index count = Index(tiles.size()), columns = std::min(across, count);
  const Index rows = (count + columns - 1) / columns;
  const Index height = rows * (high + gap) - gap, width = columns * (wide + gap) - gap;
  std::string lines;
  lines.reserve(std::size_t(height * (3 * width + 1)));
  for (Index i = 0; i < height; ++i) {
    lines += '\0';  // no filter
    for (Index j = 0; j < width; ++j) {
      const Index tile = i / (high + gap) * columns + j / (wide + gap);
      const Index y = i % (high + gap), x = j % (wide + gap);
      Colour c = between;
      if (tile < count && y < high && x < wide) {
        const Matrix& m = tiles[std::size_t(tile)];
        const double most = m.cwiseAbs().maxCoeff();
        c = colour(most > 0.0 ? m(y / pixels, x / pixels) / most : 0.0);
      }
      for (const std::uint8_t byte : c) lines += char(byte);
    }
  }
  const std::string header = big_endian(std::uint32_t(width)) + big_endian(std::uint32_t(height)) +
                             std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, red-green-blue
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", deflated(lines)) +
         chunk("IEND", "");
}

}  // namespace fisherman::cli::report
