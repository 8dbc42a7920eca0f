// Forward-backward Gaussian variational inference (Diao, Balasubramanian, Chewi and Salim 2023), for
// comparison: a gradient step of the potential's part of the NELBO on Bures-Wasserstein space, then the
// proximal step of the entropy, which has a closed form.
//
//   μ' = μ − ηb, b = E∇V           Σ½ = MΣM, M = I − ηE∇²V
//   Σ' = ½(Σ½ + 2ηI + (Σ½(Σ½ + 4ηI))^½)
//
// As a model its gradient is minus the logarithm of the new point, so that a step of length 1 with
// Identity and without caps goes just there: the exponential map of the frame is exact.
#pragma once

#include <cmath>
#include <utility>

#include "fisherman/model/gaussian_vb.hpp"

namespace fisherman {

struct ForwardBackwardOptions {
  double step = 0.1;    // η; the theory asks for at most 1/β if V is β-smooth
  Index draws = 100;    // for the expectations
  Index minibatch = 0;  // rows of the data for each gradient; 0 = all
};

template <Target T>
requires HasMeanHessian<T>
class ForwardBackward {
 public:
  explicit ForwardBackward(T target, ForwardBackwardOptions options = {})
      : exact_(std::move(target)), options_(options) {
    require(options.step > 0.0 && std::isfinite(options.step), "the forward-backward step is ",
            options.step, ", but must be positive and finite");
    require(options.draws > 0, "draws is ", options.draws, ", but must be positive");
  }

  Vector gradient(const GaussianBuresWasserstein& q, const Draws& draws) const {
    const Index n = q.order();
    const double eta = options_.step;
    const Matrix L = Eigen::LLT<Matrix>(q.covariance()).matrixL();
    const Matrix betas = (L * draws.normals(0, n, options_.draws)).colwise() + q.mean();
    Matrix slopes(n, options_.draws), M = Matrix::Identity(n, n);
    with_rows(exact_.target(), options_.minibatch, draws, [&](const T& chosen) {
      chosen.log_density(betas, slopes);
      M += eta * chosen.mean_hessian(betas);
    });
    const Vector mean = q.mean() + eta * slopes.rowwise().mean();
    require_finite(mean, "a mean after a forward step");
    const Matrix sigma = spectrum(M * q.covariance() * M).map([eta](double x) {
      return 0.5 * (x + 2.0 * eta + std::sqrt(std::max(0.0, x) * (x + 4.0 * eta)));
    });
    return -q.log(gaussian_bures_wasserstein(mean, 0.5 * (sigma + sigma.transpose())));
  }

  double objective(const GaussianBuresWasserstein& q) const { return exact_.objective(q); }

 private:
  GaussianVb<T> exact_;
  ForwardBackwardOptions options_;
};

}  // namespace fisherman
