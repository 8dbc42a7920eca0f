// One iteration of the paper's flow, part by part, and what its window would cost as printed: K dense
// vectors transported by the Cayley transform (eq:stiefel-isometric-transport).
//
//     build/release/bench/flow_window [weights] [window] [new scores]
//
// The defaults are the paper's on the German credit data: 261 weights, K = 200, 10 new scores; one thread.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "fisherman/fisher/window.hpp"
#include "fisherman/model/flow_vb.hpp"
#include "fisherman/model/neural.hpp"
#include "fisherman/model/orthogonal_flow.hpp"
#include "fisherman/solve/step.hpp"

using namespace fisherman;

namespace {

double seconds(const std::function<void()>& body) {
  const auto began = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void line(const std::string& what, double time) {
  std::cout << std::left << std::setw(60) << what << std::right << std::fixed
            << std::setprecision(2) << std::setw(10) << 1e3 * time << " ms\n";
}

}  // namespace

int main(int argc, char** argv) {
  const Index wanted = argc > 1 ? std::atol(argv[1]) : 261;
  const Index K = argc > 2 ? std::atol(argv[2]) : 200, b = argc > 3 ? std::atol(argv[3]) : 10;
  const Index hidden = 10, features = (wanted - 1) / hidden - 2;  // h(p+2)+1 weights
  const Matrix X = Draws(1, 0).normals(0, 1000, features);
  const Vector y = (X.col(0).array() > 0.0).cast<double>();
  const NeuralTarget target(X, y, {.hidden = hidden});
  const Index d = target.dimension();
  const OrthogonalFlow family(d);
  const FlowVb model(target, family, {.scores = b});
  auto frame = family.start(0.1 * Draws(1, 1).normals(0, d, 1));
  FactoredWindow window(family.score_shape(), {.size = K});
  for (std::uint64_t k = 0; Index(k) * b < K; ++k) window.learn(model, frame, Draws(2, k));

  std::vector<double> scoring, gradient, updating, solving, both, moving, printed;
  for (std::uint64_t k = 0; k < 15; ++k) {
    const Draws draws(3, k);
    ScoreFactors scores;
    Vector g, v;
    scoring.push_back(seconds([&] { scores = scores_as<ScoreFactors>(model, frame, draws); }));
    gradient.push_back(seconds([&] { g = model.gradient(frame, draws); }));
    updating.push_back(seconds([&] { window.absorb(scores); }));
    solving.push_back(seconds([&] { v = window.solve(g); }));
    both.push_back(updating.back() + solving.back());
    moving.push_back(seconds([&] { frame = frame.retract(Vector(-0.05 / v.norm() * v)); }));
  }
  // As printed: every ψ has two d×d parts, for W₁ and W₂, which Cayley transforms multiply from the left.
  // (W₁ has no business there; with it frozen the printed method would cost half.)
  std::vector<Matrix> psi(std::size_t(2 * K), Matrix::Constant(d, d, 1e-3));
  const Matrix cayley = frame.factor<0>()[0].matrix();  // an orthogonal matrix, as that is
  Matrix moved(d, d);
  for (int k = 0; k < 3; ++k)
    printed.push_back(seconds([&] {
      for (Matrix& one : psi) {
        moved.noalias() = cayley * one;
        one.swap(moved);
      }
    }));

  std::cout << d << " weights, " << frame.dimension() << " coordinates, K = " << K << ", " << b
            << " new scores, one thread; medians\n";
  line("scores", median(scoring));
  line("gradient (1000 rows, 10 draws)", median(gradient));
  line("window: update", median(updating));
  line("window: solve", median(solving));
  line("window: update and solve", median(both));
  line("retraction", median(moving));
  line("transport of K dense vectors, as printed", median(printed));
  std::cout << "printed transport / update and solve: " << std::setprecision(0)
            << median(printed) / median(both) << " (at least 100 is asked)\n";
}
