#include "png.hpp"

#include <png.h>

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

}  // namespace

std::string tiles_png(const std::vector<Matrix>& tiles, Index across, Index pixels) {
  constexpr Index gap = 6;
  constexpr Colour between = {255, 255, 255};
  const Index high = tiles.at(0).rows() * pixels, wide = tiles[0].cols() * pixels;
  const Index count = Index(tiles.size()), columns = std::min(across, count);
  const Index rows = (count + columns - 1) / columns;
  const Index height = rows * (high + gap) - gap, width = columns * (wide + gap) - gap;
  std::string pixel_bytes;
  pixel_bytes.reserve(std::size_t(height * 3 * width));
  for (Index i = 0; i < height; ++i) {
    for (Index j = 0; j < width; ++j) {
      const Index tile = i / (high + gap) * columns + j / (wide + gap);
      const Index y = i % (high + gap), x = j % (wide + gap);
      Colour c = between;
      if (tile < count && y < high && x < wide) {
        const Matrix& m = tiles[std::size_t(tile)];
        const double most = m.cwiseAbs().maxCoeff();
        c = colour(most > 0.0 ? m(y / pixels, x / pixels) / most : 0.0);
      }
      for (const std::uint8_t byte : c) pixel_bytes += char(byte);
    }
  }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(width);
  image.height = png_uint_32(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, pixel_bytes.data(), 0, nullptr) == 0)
    throw FileError(sentence("a picture could not be made: ", image.message));
  out.resize(size);
  return out;
}

}  // namespace fisherman::cli::report
