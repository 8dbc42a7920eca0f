// Gradients until the NELBO of a Stan program stays within 0.1 nats of the best Gaussian's, by newton and by ngd.
//
//     stan_gradients LIBRARY DATA [SEEDS]
//
// The NELBO is that of 1,000 antithetic pairs of draws, the same for every Gaussian. The best is the lowest of all runs, of
// which one has a tolerance of 0.002 nats. Prints a line of JSON; gradients.py makes a table of them.
#include <Eigen/Cholesky>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <numbers>

#include "../course.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/stan/stan_model.hpp"

using namespace fisherman;

namespace {

constexpr std::int64_t most_gradients = 40'000;

double rough_nelbo(const FunctionTarget& target, const GaussianPoint& q) {
  const Index d = q.mean.size(), pairs = 1000;
  const Matrix L = Eigen::LLT<Matrix>(q.covariance).matrixL();
  const Matrix z = Draws(99, 5).normals(0, d, pairs), steps = L * z;
  Matrix points(d, 2 * pairs);
  points << (steps.colwise() + q.mean), ((-steps).colwise() + q.mean);
  // log q − log p has no noise where q is the posterior.
  return -log_densities(target, points).mean() - 0.5 * z.colwise().squaredNorm().mean() -
         L.diagonal().array().log().sum() - 0.5 * double(d) * std::log(2.0 * std::numbers::pi);
}

void print(const char* name, const std::vector<std::vector<bench::Course>>& runs, double best) {
  std::cout << ", \"" << name << "\": [";
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::string count = bench::until(runs[k], best, 0.1);
    std::cout << (k > 0 ? ", " : "") << (count == "never" ? "null" : count);
  }
  std::cout << ']';
}

}  // namespace

int main(int argc, char** argv) try {
  require(argc >= 3, "usage: stan_gradients LIBRARY DATA [SEEDS]");
  const StanModel model(argv[1], argv[2], 1);
  const FunctionTarget target(model.dimension(), [&](const Matrix& x, Matrix& g) {
    Vector out(x.cols()), slope;
    for (Index k = 0; k < x.cols(); ++k) {
      out(k) = model.log_density(x.col(k), slope);
      g.col(k) = slope;
    }
    return out;
  });
  const int seeds = argc > 3 ? std::max(1, std::atoi(argv[3])) : 3;
  const auto runs = [&](GaussianMethod method, double tolerance, int count) {
    std::vector<std::vector<bench::Course>> out;
    for (int seed = 1; seed <= count; ++seed) {
      DensitySettings settings;
      settings.method = method;
      settings.seed = seed;
      settings.tolerance = tolerance;
      out.push_back(bench::course(
          target, [&](const GaussianPoint& q) { return rough_nelbo(target, q); }, settings,
          most_gradients));
    }
    return out;
  };
  const auto ours = runs(GaussianMethod::newton, 0.0, seeds),
             old = runs(GaussianMethod::ngd, 1e-9, 1),
             longer = runs(GaussianMethod::newton, 0.002, 1);
  double best = std::numeric_limits<double>::infinity();
  for (const auto& list : {ours, old, longer})
    for (const auto& run : list)
      if (!run.empty()) best = std::min(best, run.back().nelbo);
  std::cout << "{\"d\": " << model.dimension() << ", \"best\": " << std::fixed
            << std::setprecision(4) << best;
  print("newton", ours, best);
  print("ngd", old, best);
  std::cout << "}\n";
} catch (const std::exception& e) {
  std::cerr << "stan_gradients: " << e.what() << '\n';
  return 1;
}
