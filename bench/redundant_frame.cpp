// What a redundant frame learns (docs/frames.md, section 6): the mean direction of a von Mises-Fisher distribution on the
// sphere, from one draw and one score per iteration, in ambient coordinates.
//
//     build/release/bench/redundant_frame [seeds]
//
// Prints the relative error, in operator norm, of two estimates of the Fisher information on the tangent space at the last
// point: the one that the method uses, the inverse of 𝐇⁻¹ restricted to it, and 𝐇 itself restricted to it.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/solve/run.hpp"

using namespace fisherman;

namespace {

constexpr double kappa = 2.0;
const double information = kappa * (1.0 / std::tanh(kappa) - 1.0 / kappa);  // in every direction

struct Stream {
  Vector truth = Vector::Unit(3, 2);

  static Vector draw(const Vector& mu, const Draws& draws, std::uint32_t stream) {
    const double u = draws.uniforms(stream, 1, 1)(0);
    const double w = 1.0 + std::log(u + (1.0 - u) * std::exp(-2.0 * kappa)) / kappa;
    Vector y = draws.normals(stream + 1, 3, 1).col(0);
    y -= mu * mu.dot(y);
    return w * mu + std::sqrt(1.0 - w * w) * y.normalized();
  }
  Vector gradient(const Sphere& mu, const Draws& draws) const {
    return mu.pull(Matrix(-kappa * draw(truth, draws, 0)));
  }
  Matrix scores(const Sphere& mu, const Draws& draws) const {
    return mu.pull(Matrix(kappa * draw(mu.point(), draws, 2)));
  }
};

double error_of(const Matrix& estimate) {
  const Matrix apart = estimate / information - Matrix::Identity(2, 2);
  return Eigen::SelfAdjointEigenSolver<Matrix>(apart).eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 40;
  std::cout << "iterations   used by the method   restricted H\n";
  for (const std::int64_t iterations : {1000, 4000, 16000, 64000}) {
    double used = 0.0, restricted = 0.0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      State state{Sphere(Vector{{std::sin(0.5), 0.0, std::cos(0.5)}}), Dense(3, {.epsilon = 5.0}),
                  seed};
      RunOptions options{.rule = {.step_size = 0.5, .delay = 10.0, .decay = 0.75}};
      options.evaluate_every = 0;
      Stream model;
      run(state, model, options, after_iterations(iterations));
      const Matrix inverse = state.fisher.inverse();
      const Vector x = state.frame.point();
      const Matrix T = svd(Matrix(Matrix::Identity(3, 3) - x * x.transpose())).U.leftCols(2);
      used += error_of((T.transpose() * inverse * T).inverse()) / double(seeds);
      restricted += error_of(T.transpose() * inverse.inverse() * T) / double(seeds);
    }
    std::cout << std::setw(10) << iterations << std::fixed << std::setprecision(4) << std::setw(21)
              << used << std::setw(15) << restricted << std::endl;
  }
}
