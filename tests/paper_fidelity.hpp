// `--transport paper` beside the paper's own vec-space iteration.
#pragma once

#include <gtest/gtest.h>

#include "fisherman/fit/regression.hpp"
#include "paper_oracle.hpp"

namespace fisherman {

/// Both from (0, I), with the same draws, at one point of the paper's grid; every iterate is compared.
inline void expect_the_papers_iterates(const Matrix& X, const Vector& y, oracle::Geometry geometry,
                                       bool materialise, int iterations) {
  const bool bw = geometry == oracle::Geometry::bures_wasserstein;
  LogisticSettings settings;  // as docs/cli.md has them for the printed method
  settings.geometry = bw ? Geometry::bures_wasserstein : Geometry::euclidean;
  settings.method = GaussianMethod::ifngd;
  settings.transport = Carry::paper;
  settings.scores = 1;
  settings.epsilon = bw ? 500.0 : 2500.0;  // the Euclidean one is unstable with less
  settings.step_size = 0.01;
  settings.decay = 0.5;
  settings.kl_radius = 0.0;
  settings.no_guard = true;
  settings.average = Automatic::off;
  settings.eval_every = 0;
  settings.iterations = iterations;
  ErasedRun ours = make_run(LogisticTarget(X, y, settings.prior_variance), settings);
  oracle::GaussianVi paper(X, y,
                           {.geometry = geometry,
                            .prior_variance = settings.prior_variance,
                            .epsilon = settings.epsilon,
                            .tau0 = settings.step_size,
                            .alpha = settings.decay,
                            .seed = std::uint64_t(settings.seed),
                            .materialise = materialise});
  double furthest = 0.0;
  const auto compare = [&](const Record&, const ErasedState& state) {
    paper.iterate();
    const GaussianPoint q = gaussian_point(state.frame, settings);
    furthest = std::max({furthest, (q.mean - paper.mu).cwiseAbs().maxCoeff(),
                         (q.covariance - paper.sigma).cwiseAbs().maxCoeff()});
  };
  const Outcome outcome = run(ours.state, ours.model, ours.options, ours.stop, {compare});
  EXPECT_EQ(outcome.status, Status::iterations_done);
  EXPECT_EQ(outcome.last.rejected, 0);
  EXPECT_LT(furthest, 1e-9);
  // They went somewhere: Σ began as I, and the data are worth more than a tenth of that.
  EXPECT_GT((paper.sigma - Matrix::Identity(X.cols(), X.cols())).norm(), 0.1);
  EXPECT_GT(paper.mu.norm(), 0.1);
  std::cout << "largest difference of an entry in " << iterations << " iterations: " << furthest
            << '\n';
}

}  // namespace fisherman
