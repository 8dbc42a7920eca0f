// How many gradients of a log density the Gaussian nearest to it takes, from gradients alone, where the best one is known:
// Bayesian logistic regressions with prior variance 10, whose NELBO is exact by quadrature.
//
//     OPENBLAS_NUM_THREADS=1 build/release/bench/gradients [FOLDER [SEEDS]]
//
// FOLDER has wdbc.csv and a1a.libsvm; what is not there is left out. Also: the time of the solver beside gradients that take
// 50 microseconds, and the NELBO of WDBC against processor time.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "course.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fit/preparation.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/solve/descend.hpp"
#include "logistic_data.hpp"

using namespace fisherman;

namespace {

constexpr double prior_variance = 10.0;
constexpr std::int64_t most_gradients = 200'000;

using bench::Course;
using bench::cpu_seconds;
using bench::until;

struct Problem {
  std::string name;
  LogisticTarget target;
  double best;  // the lowest NELBO of a Gaussian

  double nelbo(const GaussianPoint& q) const {
    return GaussianVb<RegressionTarget>(target).nelbo(q.mean, q.covariance);
  }
  std::vector<Course> course(GaussianMethod method, int seed) const {
    DensitySettings settings;
    settings.method = method;
    settings.seed = seed;
    const FunctionTarget function(target.dimension(), [this](const Matrix& x, Matrix& g) {
      return target.log_density(x, g);
    });
    return bench::course(
        function, [this](const GaussianPoint& q) { return nelbo(q); }, settings, most_gradients);
  }
};

Problem problem(const std::string& name, Matrix X, Vector y) {
  const LogisticTarget target(std::move(X), std::move(y), prior_variance);
  const RegressionStart start = regression_start(target);
  const GaussianVb<RegressionTarget> exact(target, {.estimator = GradientEstimator::exact});
  const GaussianAffine frame = gaussian_affine(start.mean, start.covariance);
  State s(frame, Identity(frame.dimension()), 1);
  descend(s, exact, DescentOptions{}, when_predicted_below(1e-6) || after_iterations(300));
  return {name, target, s.objective};
}

/// Nothing, with a word, if the file is not there.
std::optional<Problem> problem_of(const std::string& name, const std::filesystem::path& file,
                                  bool standardize) {
  if (!std::filesystem::exists(file)) {
    std::cout << name << ": left out, there is no " << file.string() << '\n';
    return std::nullopt;
  }
  const Table table = read_table(file);
  ColumnSettings settings;
  settings.intercept = false;
  settings.no_standardize = !standardize;
  const Matrix X = Preparation::of(table.x, table.names, settings).design(table.x);
  return problem(name, X, binary_labels(table.labels, file.string()).y);
}

void count_gradients(const Problem& p, int seeds) {
  for (const auto& [method, name] :
       {std::pair{GaussianMethod::newton, "newton"}, std::pair{GaussianMethod::ngd, "ngd"}})
    for (int seed = 1; seed <= (method == GaussianMethod::newton ? seeds : 1); ++seed) {
      const std::vector<Course> c = p.course(method, seed);
      std::cout << "| " << p.name << " | " << p.target.dimension() << " | " << name << " | " << seed
                << " | " << until(c, p.best, 1.0) << " | " << until(c, p.best, 0.1) << " | "
                << c.back().gradients << " | " << std::fixed << std::setprecision(3)
                << c.back().nelbo - p.best << " |" << std::endl;
    }
}

void nelbo_against_time(const Problem& p) {
  std::cout << "\n"
            << p.name << ", newton: NELBO against CPU seconds (best " << std::setprecision(4)
            << p.best << ")\n\n| CPU s | gradients | NELBO |\n|---|---|---|\n";
  for (const Course& c : p.course(GaussianMethod::newton, 1))
    std::cout << "| " << c.cpu << " | " << c.gradients << " | " << c.nelbo << " |\n";
}

/// Of the solver beside gradients of 50 microseconds.
void overhead() {
  const Index d = 30;
  const bench::LogisticData data = bench::logistic_data("plain", 100, d, 1);
  const LogisticTarget logistic(data.X, data.y, prior_variance);
  double within = 0.0;
  std::int64_t gradients = 0;
  const FunctionTarget slow(d, [&](const Matrix& x, Matrix& g) {
    const double began = cpu_seconds();
    Vector out = logistic.log_density(x, g);
    while (cpu_seconds() - began < 50e-6 * double(x.cols())) {
    }
    within += cpu_seconds() - began;
    gradients += x.cols();
    return out;
  });
  const double began = cpu_seconds();
  ErasedRun run = make_run(slow, {}, std::nullopt);
  PlainDriver().drive(run);
  const double all = cpu_seconds() - began;
  std::cout << "\nOverhead at d = 30 beside gradients of 50 microseconds: " << gradients
            << " gradients take " << within << " s, the solver " << all - within << " s, "
            << std::setprecision(1) << 100.0 * (all - within) / within << "%\n";
}

}  // namespace

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "../shared/data";
  const int seeds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
  std::vector<Problem> problems;
  const auto add = [&](std::optional<Problem> p) {
    if (p) problems.push_back(std::move(*p));
  };
  add(problem_of("WDBC", folder / "wdbc.csv", true));
  add(problem_of("a1a", folder / "a1a.libsvm", false));
  add(problem_of("a1a, standardised", folder / "a1a.libsvm", true));
  const bench::LogisticData large = bench::logistic_data("plain", 2000, 500, 1);
  add(problem("synthetic", large.X, large.y));
  std::cout << std::fixed << std::setprecision(4);
  for (const Problem& p : problems)
    if (p.name == "WDBC") nelbo_against_time(p);
  overhead();
  std::cout << "\nGradients until the NELBO stays within 1 and 0.1 nats of the best Gaussian's, at "
               "the method's own end, and "
               "what is then left\n\n"
               "| data | d | method | seed | 1 nat | 0.1 nats | end | left "
               "|\n|---|---|---|---|---|---|---|---|\n";
  for (const Problem& p : problems) count_gradients(p, seeds);
} catch (const std::exception& e) {
  std::cerr << "gradients: " << e.what() << '\n';
  return 1;
}
