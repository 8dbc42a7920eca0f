// How the gradient of the NELBO is estimated.
#pragma once

namespace fisherman {

/// How the gradient is estimated from draws β = μ + Lz, with a = Σ⁻¹(β−μ) and V = −log π̄.
enum class GradientEstimator {
  bonnet_price,  // ∇_Σ = ½E∇²V − ½Σ⁻¹: needs the target's Hessian. The paper's experiments.
  reparameterised,       // ∇_Σ = ½E sym(∇V aᵀ) − ½Σ⁻¹: gradients only
  sticking_the_landing,  // the same with ∇V − a for ∇V: no noise where q = π̄
  score_function,        // eq:VB g function, with a leave-one-out baseline: values only
  exact                  // no draws at all: needs a target that knows its expectation
};

}  // namespace fisherman
