// Writes generated images with classes, as IDX files: the size of EMNIST's letters by default, but these are
// no letters. Each image is a sum of a few of 60 round blots; its class is drawn from a multinomial
// regression whose coefficients have the given rank.
//
//     build/release/bench/class_data FOLDER [RANK [ROWS [CLASSES [SEED]]]]
//
// leaves FOLDER/images-idx3-ubyte (28 x 28 pixels) and FOLDER/labels-idx1-ubyte, and prints the mean loss of
// the coefficients that the classes were drawn from.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "fisherman/core/random.hpp"

using namespace fisherman;

namespace {

constexpr Index side = 28, pixels = side * side, blots = 60;

/// A column a blot: its centre away from the border, its radius 1.5 to 4 pixels.
Matrix blot_images(const Draws& draws) {
  const Matrix u = draws.uniforms(0, 3, blots);
  Matrix out(pixels, blots);
  for (Index b = 0; b < blots; ++b)
    for (Index i = 0; i < pixels; ++i) {
      const double x = double(i % side) - (5.0 + 18.0 * u(0, b));
      const double y = double(i / side) - (5.0 + 18.0 * u(1, b));
      const double radius = 1.5 + 2.5 * u(2, b);
      out(i, b) = std::exp(-0.5 * (x * x + y * y) / (radius * radius));
    }
  return out;
}

std::string header(std::uint8_t dimensions, std::initializer_list<Index> sizes) {
  std::string out = {0, 0, 8, char(dimensions)};
  for (const Index size : sizes)
    for (int shift = 24; shift >= 0; shift -= 8) out += char(std::uint32_t(size) >> shift);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, Index otherwise) {
    return argc > k ? Index(std::atol(argv[k])) : otherwise;
  };
  const Index rank = argument(2, 12), rows = argument(3, 145000), classes = argument(4, 26);
  if (argc < 2 || rank < 1 || rows < classes || classes < 2 || classes > 256) {
    std::cerr << "usage: class_data FOLDER [RANK [ROWS [CLASSES [SEED]]]]\n";
    return 1;
  }
  const Draws draws(std::uint64_t(argument(5, 1)), 0);
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  std::ofstream images(folder / "images-idx3-ubyte", std::ios::binary);
  std::ofstream labels(folder / "labels-idx1-ubyte", std::ios::binary);
  images << header(3, {rows, side, side});
  labels << header(1, {rows});

  const Matrix blot = blot_images(draws);
  const Matrix left = draws.normals(1, pixels, rank), right = draws.normals(2, classes, rank);
  constexpr Index block = 1000;
  double scale = 0.0, loss = 0.0;
  Vector middle;
  for (Index first = 0; first < rows; first += block) {
    const Index count = std::min(block, rows - first);
    const auto stream = std::uint64_t(3 + 3 * (first / block));
    // About one blot in five is in an image.
    const Matrix ink = (draws.uniforms(stream, blots, count).array() < 0.2).cast<double>() *
                       draws.uniforms(stream + 1, blots, count).array();
    const Eigen::ArrayXXd x = (255.0 * (blot * ink).array()).min(255.0).floor();
    Matrix logits = right * (left.transpose() * (x / 255.0).matrix());
    if (first == 0) {  // the sizes that all blocks are brought to
      middle = logits.rowwise().mean();
      scale = 4.0 / std::sqrt((logits.colwise() - middle).squaredNorm() / double(logits.size()));
    }
    logits = scale * (logits.colwise() - middle);
    const Matrix u = draws.uniforms(stream + 2, 1, count);
    std::string pixel_bytes, label_bytes;
    for (Index i = 0; i < count; ++i) {
      const double most = logits.col(i).maxCoeff();
      const Eigen::ArrayXd weight = (logits.col(i).array() - most).exp();
      double rest = u(0, i) * weight.sum();
      Index label = 0;
      while (label + 1 < classes && rest >= weight(label)) rest -= weight(label++);
      loss -= std::log(weight(label) / weight.sum());
      label_bytes += char(std::uint8_t(label));
      for (Index j = 0; j < pixels; ++j) pixel_bytes += char(std::uint8_t(x(j, i)));
    }
    images << pixel_bytes;
    labels << label_bytes;
  }
  if (!images.flush() || !labels.flush()) {
    std::cerr << "class_data: " << folder.string() << " cannot be written\n";
    return 1;
  }
  std::printf(
      "%ld images of %ld classes, rank %ld: mean loss of the coefficients behind them %.4f\n",
      long(rows), long(classes), long(rank), loss / double(rows));
}
