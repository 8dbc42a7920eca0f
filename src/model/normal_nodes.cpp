// Nodes of a normal distribution in several dimensions.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/model/normal_quadrature.hpp"

namespace fisherman {
namespace {

/// Radii whose squares are twice the nodes of Gauss-Laguerre: r²/2 of a normal in the plane is exponential. Every other
/// ring is turned by half an angle.
NormalNodes rings(Index count) {
  const Index radii = std::max<Index>(2, Index(std::lround(std::sqrt(double(count) / 4.0))));
  const Index angles = 4 * radii;
  Matrix jacobi = Matrix::Zero(radii, radii);
  for (Index k = 0; k < radii; ++k) {
    jacobi(k, k) = 2.0 * double(k) + 1.0;
    if (k > 0) jacobi(k, k - 1) = jacobi(k - 1, k) = double(k);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(jacobi);
  NormalNodes out{Matrix(radii * angles, 2), Vector(radii * angles)};
  for (Index k = 0; k < radii; ++k) {
    const double r = std::sqrt(2.0 * eigen.eigenvalues()(k)), root = eigen.eigenvectors()(0, k);
    for (Index a = 0; a < angles; ++a) {
      const double turn =
          2.0 * std::numbers::pi * (double(a) + (k % 2 == 0 ? 0.0 : 0.5)) / double(angles);
      out.z.row(k * angles + a) << r * std::cos(turn), r * std::sin(turn);
      out.weight(k * angles + a) = root * root / double(angles);
    }
  }
  return out;
}

NormalNodes product(Index dimension, Index count) {
  const auto each = std::max<Index>(
      2, Index(std::lround(std::pow(double(count), 1.0 / double(dimension)) - 0.1)));
  const NormalRule rule = gauss_hermite(each);
  Index all = 1;
  for (Index k = 0; k < dimension; ++k) all *= each;
  NormalNodes out{Matrix(all, dimension), Vector::Ones(all)};
  for (Index node = 0; node < all; ++node)
    for (Index k = 0, left = node; k < dimension; ++k, left /= each) {
      out.z(node, k) = rule.z(left % each);
      out.weight(node) *= rule.weight(left % each);
    }
  return out;
}

/// By Newton's method, from a guess by Tukey's lambda distribution.
double normal_quantile(double p) {
  double x = (std::pow(p, 0.135) - std::pow(1.0 - p, 0.135)) / 0.1975;
  for (int k = 0; k < 6; ++k)
    x -= (normal_distribution(x) - p) * std::sqrt(2.0 * std::numbers::pi) * std::exp(0.5 * x * x);
  return x;
}

std::vector<int> first_primes(Index count) {
  std::vector<int> out;
  for (int n = 2; Index(out.size()) < count; ++n)
    if (std::none_of(out.begin(), out.end(), [&](int p) { return n % p == 0; })) out.push_back(n);
  return out;
}

/// Multiples of roots of primes, modulo 1.
NormalNodes richtmyer(Index dimension, Index count) {
  const Index pairs = std::max(count / 2, 4 * dimension);
  const std::vector<int> primes = first_primes(dimension);
  Matrix half(pairs, dimension);
  for (Index k = 0; k < dimension; ++k) {
    const double root = std::sqrt(double(primes[std::size_t(k)]));
    for (Index i = 0; i < pairs; ++i) {
      const double u = 0.5 + double(i + 1) * root;
      half(i, k) = normal_quantile(u - std::floor(u));
    }
  }
  const Eigen::LLT<Matrix> llt(Matrix(half.transpose() * half / double(pairs)));
  half = llt.matrixL().solve(half.transpose()).transpose().eval();
  NormalNodes out{Matrix(2 * pairs, dimension), Vector::Constant(2 * pairs, 0.5 / double(pairs))};
  out.z << half, -half;
  return out;
}

}  // namespace

NormalNodes normal_nodes(Index dimension, Index count) {
  require(dimension > 0 && count > 0, "there are no ", count, " nodes in ", dimension,
          " dimensions");
  if (dimension == 2) return rings(count);
  return dimension < 5 ? product(dimension, count) : richtmyer(dimension, count);
}

}  // namespace fisherman
