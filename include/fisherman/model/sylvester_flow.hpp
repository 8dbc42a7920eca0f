// Sylvester flows (van den Berg et al. 2018) on a Gaussian: y₀ ~ N(μ, Σ), then layers
//     y ← y + Q R h(R̃Qᵀy + b),   h = tanh,  Q ∈ St(p, d),  R and R̃ upper triangular,
// with the density by a p×p determinant that is triangular: Π(1 + h′ᵢ rᵢᵢ r̃ᵢᵢ). A layer is invertible
// when rᵢᵢr̃ᵢᵢ > −1; we write r̃ᵢᵢ = e^κᵢ and rᵢᵢr̃ᵢᵢ = e^ρᵢ − 1, which are all such layers up to signs.
// No layers at all: the Gaussian.
//
// Why the base stands first: its score at a fixed y is the Gaussian's own score at y₀, so in the affine
// frame its Fisher matrix is the identity, whatever the layers are.
#pragma once

#include <cstdint>
#include <vector>

#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/manifold/power.hpp"
#include "fisherman/manifold/product.hpp"
#include "fisherman/manifold/stiefel.hpp"

namespace fisherman {

struct SylvesterOptions {
  Index rank = 8;  // p
  Index layers = 2;
};

class SylvesterFlow {
 public:
  /// The base; the Qs; then, layer by layer: R and R̃ above their diagonals, ρ, κ, b.
  using Frame = Product<GaussianAffine, Power<Stiefel>, Euclidean>;

  explicit SylvesterFlow(Index dimension, SylvesterOptions options = {});

  Index dimension() const { return dimension_; }
  const SylvesterOptions& options() const { return options_; }
  /// Coordinates of the base, whose Fisher matrix is the identity; the layers' come after them.
  Index base_dimension() const { return dimension_ + dimension_ * (dimension_ + 1) / 2; }

  /// N(mean, sd²I) with layers close to the identity, their Qs and bs random.
  Frame start(const Vector& mean, double sd, std::uint64_t seed) const;
  /// The same layers on any Gaussian, each Q along directions of the base and R̃ in their units.
  Frame start(const Vector& mean, const Matrix& covariance, std::uint64_t seed) const;

  struct Layer {
    Matrix Q, R, R_tilde;
    Vector rho, kappa, b, D;  // D = e^ρ − 1
  };
  /// What a layer made of the samples.
  struct Pass {
    Matrix y, t, h, slope;  // the input; Qᵀy; tanh and its derivative
    Matrix log_det_by_a;    // −∂ log det/∂a
  };
  struct Sample {
    Matrix ys, a0;  // a0 = Σ⁻¹(y₀ − μ)
    Vector log_q;
    std::vector<Layer> layers;
    std::vector<Pass> passes;
  };
  Sample sample(const Frame& frame, const Matrix& normals) const;
  Vector log_density(const Frame& frame, const Matrix& ys) const;
  /// By implicit differentiation of the layers' inverses: the pre-images of a sample are known.
  Matrix scores(const Frame& frame, const Sample& sample) const;
  Vector gradient(const Frame& frame, const Sample& sample, const Matrix& slopes) const;

 private:
  Index layer_size() const { return options_.rank * (options_.rank + 2); }
  std::vector<Layer> layers(const Frame& frame) const;
  Vector packed(const Layer& layer) const;

  Index dimension_;
  SylvesterOptions options_;
};

}  // namespace fisherman
