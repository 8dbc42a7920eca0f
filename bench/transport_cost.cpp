// What an iteration of the inversion-free method costs on the Bures-Wasserstein geometry when its
// estimate is carried by the frame, and when it is carried by the paper's transport.
//
//     build/release/bench/transport_cost [order] [rows] [threads]
//
// The default is the size of the paper's mushrooms data: 112 coefficients, 8124 rows. The data are drawn
// at random, since the time does not depend on them.
#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <vector>

#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/solve/step.hpp"

using namespace fisherman;

namespace {

using Fisher = BlockDiagonal<Dense>;

/// Seconds an iteration, each of `iterations` by itself; the first one warms up and does not count.
template <class M>
std::vector<double> timed(const GaussianBuresWasserstein& start, M& model, Carry how,
                          int iterations) {
  const Index n = start.order(), d = start.dimension();
  State state{start, Fisher({Dense(n, {.epsilon = 2500.0}), Dense(d - n, {.epsilon = 2500.0})})};
  const StepRule rule{.step_size = 1e-3, .decay = 0.0, .kl_radius = 0.0, .guard = false};
  std::vector<double> seconds;
  for (int k = 0; k <= iterations; ++k) {
    const auto began = std::chrono::steady_clock::now();
    advance(state, model, rule, how);
    ++state.iteration;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (k > 0) seconds.push_back(took.count());
  }
  return seconds;
}

double mean(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double x : v) sum += x;
  return sum / double(v.size());
}

}  // namespace

int main(int argc, char** argv) {
  const Index order = argc > 1 ? std::atol(argv[1]) : 112;
  const Index rows = argc > 2 ? std::atol(argv[2]) : 8124;
  set_threads(argc > 3 ? std::atoi(argv[3]) : 1);
  const Matrix X = Draws(1, 0).normals(0, rows, order);
  const Vector y = X.col(0).unaryExpr([](double x) { return x > 0.0 ? 1.0 : 0.0; });
  GaussianVb model(LogisticTarget(X, y, 10.0),
                   {.estimator = GradientEstimator::bonnet_price});  // 100 draws, 1 score
  const auto start =
      gaussian_bures_wasserstein(Vector::Zero(order), Matrix::Identity(order, order));
  // A whole cycle of folding for the frame, so that its mean includes all that is put off.
  const double frame = mean(timed(start, model, Carry::frame, 32));
  const double paper = mean(timed(start, model, Carry::paper, 3));
  std::cout << "order " << order << " (" << start.dimension() << " coordinates), " << rows
            << " rows, " << threads() << " thread(s)\n"
            << std::fixed << std::setprecision(2)
            << "an iteration, carried by the frame: " << 1e3 * frame
            << " ms\nan iteration, by the paper's transport: " << 1e3 * paper
            << " ms\nratio: " << std::setprecision(1) << paper / frame << " (at least 50)\n";
}
