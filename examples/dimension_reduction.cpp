// Sufficient dimension reduction: principal fitted components (Cook, 2007) on the Grassmannian.
//
//   model     x | y ~ N(ΓC f(y), σ²I): of the n predictors only the p combinations Γᵀx know
//   anything
//             of the response y. For a given Γ the likelihood is greatest at C = ΓᵀB, with B (n×r)
//             the plain regression of x on the r functions f(y). That leaves N(P B f(y), σ²I) with
//             P = ΓΓᵀ, and what is fitted is the subspace, Γ ∈ Gr(p, n).
//   loss      mean negative log-likelihood = const − tr(P S)/2σ², S the covariance of the fits B f
//   optimum   the p leading eigenvectors of S, known in closed form.
#include <Eigen/Dense>
#include <cmath>
#include <iostream>

#include "fisherman/fisherman.hpp"

using namespace fisherman;

struct FittedComponents {
  Matrix x;      // n×N predictors
  Matrix fits;   // n×N, columns m = B f(y)
  double sigma;  // of the noise; it scales the loss and does not move the optimum
  Index rows;    // of a minibatch

  enum Stream : std::uint32_t { for_rows, for_score_rows, for_noise };

  // −log q = ‖x − Pm‖²/2σ², so the score with respect to Γ is ((x−m)mᵀ + m xᵀ)Γ/σ². It belongs to a
  // function of the subspace alone, as Grassmann asks. One column for each column of x and m.
  Matrix scores_at(const Grassmann& gamma, const Matrix& xs, const Matrix& ms) const {
    const Matrix G = gamma.matrix();
    Matrix E(G.size(), xs.cols());
    for (Index k = 0; k < xs.cols(); ++k) {
      const auto x_k = xs.col(k), m = ms.col(k);
      const Matrix one = (x_k - m) * (m.transpose() * G) + m * (x_k.transpose() * G);
      E.col(k) = as_vector(one) / (sigma * sigma);
    }
    return gamma.pull(E);
  }
  // The Fisher information of a regression: y comes from the data, x is drawn from the model.
  Matrix scores(const Grassmann& gamma, const Draws& draws) const {
    const Matrix ms = fits(Eigen::all, draws.integers(for_score_rows, 8, x.cols()));
    const Matrix G = gamma.matrix();
    const Matrix drawn = G * (G.transpose() * ms) + sigma * draws.normals(for_noise, x.rows(), 8);
    return scores_at(gamma, drawn, ms);
  }
  Vector gradient(const Grassmann& gamma, const Draws& draws) const {
    const auto batch = draws.integers(for_rows, rows, x.cols());
    return -scores_at(gamma, x(Eigen::all, batch), fits(Eigen::all, batch)).rowwise().mean();
  }
  double objective(const Grassmann& gamma) const {
    const Matrix G = gamma.matrix();
    return 0.5 * (x - G * (G.transpose() * fits)).squaredNorm() /
           (sigma * sigma * double(x.cols()));
  }
};

int main() {
  // The response moves the predictors along two directions out of twelve, one strongly, one weakly.
  const Index n = 12, p = 2, N = 800;
  const double sigma = 0.5;
  const Draws world(5, 0);
  const Matrix truth = thin_qr(world.normals(0, n, p)).Q;
  const Vector y = world.normals(1, N, 1);
  Matrix f(3, N);  // centred functions of the response
  f << y.transpose(), y.array().square().matrix().transpose(), y.array().sin().matrix().transpose();
  f.colwise() -= f.rowwise().mean().eval();
  Matrix x = truth * Matrix{{2.0, 0.0, 0.0}, {0.0, 0.4, 0.0}} * f + sigma * world.normals(2, n, N);
  x.colwise() -= x.rowwise().mean().eval();
  const Matrix B = (f * f.transpose()).ldlt().solve(f * x.transpose()).transpose();

  const FittedComponents model{.x = x, .fits = B * f, .sigma = sigma, .rows = 40};
  const Matrix S = model.fits * model.fits.transpose() / double(N);
  const Grassmann optimum(spectrum(S).P.rightCols(p));  // eigenvalues ascend

  const Grassmann start(thin_qr(world.normals(3, n, p)).Q);
  const Index iterations = 1500;
  State state{start, Dense(start.dimension()), 1, Average({.on = true, .start = 500})};
  Trace trace;
  run(state, model, {.rule = {.step_size = 0.5}, .evaluate_every = 250},
      after_iterations(iterations), {trace.observer()});
  const Grassmann estimate = state.estimate();

  std::cout << "loss at the start          " << model.objective(start) << '\n';
  for (const Record& record : trace.records())
    if (!std::isnan(record.objective))
      std::cout << "loss after " << record.iteration << "\t   " << record.objective << '\n';
  std::cout << "loss at the optimum        " << model.objective(optimum) << '\n';

  // Three standard errors of an estimate from as many rows as the average has seen.
  const double one = state.fisher.inverse().trace();
  const double tolerance = 3.0 * std::sqrt(one / double(model.rows * (iterations - 500)));
  const double error = estimate.distance(optimum);
  std::cout << "angle to the eigenvectors  " << error << " (at most " << tolerance << ")\n"
            << "angle to the truth         " << estimate.distance(Grassmann(truth)) << '\n';
  if (!(error < tolerance)) {
    std::cerr << "The estimate is not the span of the leading eigenvectors.\n";
    return 1;
  }
}
