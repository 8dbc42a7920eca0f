// One iteration of reduced-rank regression at the size of MNIST, by method, against an rsgd iteration
// and against BLAS; and the peak memory against its prediction.
//
//     build/release/bench/reduced_rank [rank] [threads] [rows]
//
// The data are normals of MNIST's size (717 features that are not always zero, 10 classes): the time
// does not depend on what they hold.
#include <cblas.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fit/reduced_rank.hpp"

using namespace fisherman;

namespace {

/// The least of several: what the machine can do when nothing disturbs it.
double least(int repeats, const std::function<void()>& body) {
  double best = 1e300;
  for (int k = 0; k < repeats; ++k) {
    const auto began = std::chrono::steady_clock::now();
    body();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  return best;
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * double(usage.ru_maxrss);
}

/// dsymm and dsyrk on every thread at once, in flops a second, at the update's own sizes.
double blas_rate(Index n, Index b, int threads) {
  const Matrix A = Matrix::Identity(n, n), X = Matrix::Ones(n, b);
  std::vector<Matrix> Y(std::size_t(threads), Matrix::Zero(n, b)), C(std::size_t(threads), A);
  const double time = least(20, [&] {
    parallel_for(std::size_t(threads), [&](std::size_t t) {
      cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, int(n), int(b), 1.0, A.data(), int(n),
                  X.data(), int(n), 0.0, Y[t].data(), int(n));
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, int(n), int(b), -1e-9, X.data(), int(n),
                  1.0, C[t].data(), int(n));
    });
  });
  return double(threads) * 3.0 * double(n) * double(n) * double(b) / time;
}

}  // namespace

int main(int argc, char** argv) {
  const Index rank = argc > 1 ? std::atol(argv[1]) : 5;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  const Index rows = argc > 3 ? std::atol(argv[3]) : 60000, p = 717, classes = 10;
  set_threads(threads);
  ReducedRankSettings settings;
  settings.method = ReducedRankMethod::ifngd;
  MemoryPlan plan{};
  std::shared_ptr<const ClassData> data;
  {
    Table table;  // as a reader would hold it
    table.x = Draws(1, 0).normals(0, rows, p);
    table.names.assign(static_cast<std::size_t>(p), "x");
    plan = plan_memory(settings, table, p, classes, rank);
    std::vector<Index> all(static_cast<std::size_t>(rows));
    for (Index i = 0; i < rows; ++i) all[std::size_t(i)] = i;
    const FeatureMap map = FeatureMap::of(table, FeatureScale::none, false);
    std::vector<int> y;
    for (const Index k : Draws(2, 0).integers(0, rows, classes)) y.push_back(int(k));
    data = std::make_shared<const ClassData>(map.design(table, all, false), y, classes);
  }
  std::cout << std::fixed << std::setprecision(2) << rows << " x " << p << ", " << classes
            << " classes, rank " << rank << ", " << threads << " thread(s)\n";

  using Method = ReducedRankMethod;
  const auto iteration = [&](const std::string& name, Method method, FisherChoice fisher,
                             Index scores, int repeats) {
    ReducedRankSettings s = settings;
    s.method = method, s.fisher = fisher, s.scores = scores;
    ErasedRun run = make_run(data, s, rank, 0, plan);
    const auto step = [&] {
      advance(run.state, run.model, run.options.rule, run.options.carry);
      ++run.state.iteration;
    };
    step();  // room is made in the first one
    step();
    // By default one iteration in two learns from scores.
    const double time = least(repeats, [&] { step(), step(); }) / 2.0;
    std::cout << std::left << std::setw(48) << name << std::right << std::setw(9) << 1e3 * time
              << " ms";
    return time;
  };
  const double rsgd = iteration("rsgd", Method::rsgd, FisherChoice::automatic, 0, 200);
  std::cout << '\n';
  const double standard = iteration("ifngd, default (16 scores, half of the time)", Method::ifngd,
                                    FisherChoice::decorrelated, 0, 100);
  std::cout << std::setw(8) << standard / rsgd << "x rsgd\n";
  const double columns =
      iteration("ifngd, column blocks, 32 scores", Method::ifngd, FisherChoice::columns, 32, 50);
  std::cout << std::setw(8) << columns / rsgd << "x rsgd\n";
  const double all =
      iteration("ifngd, column blocks, 128 scores", Method::ifngd, FisherChoice::columns, 128, 20);
  std::cout << std::setw(8) << all / rsgd << "x rsgd\n";
  const double kfac = iteration("kfac (32 scores)", Method::kfac, FisherChoice::automatic, 0, 50);
  std::cout << std::setw(8) << kfac / rsgd << "x rsgd\n";
  std::cout << "peak memory " << peak_bytes() / 1e6 << " MB, predicted " << plan.peak() / 1e6
            << " MB: " << std::setprecision(3) << peak_bytes() / plan.peak() << "\n"
            << std::setprecision(2);
  const double extrinsic =
      iteration("extrinsic (32 scores)", Method::extrinsic, FisherChoice::automatic, 0, 3);
  std::cout << std::setw(8) << standard / extrinsic << " = default/extrinsic\n";

  // The Woodbury update itself: one product, one small factorisation, one subtraction.
  const Index b = 128;
  const double rate = blas_rate(p, b, threads);
  Dense dense(p);
  const Matrix scores = Draws(3, 0).normals(0, p, b);
  const Vector g = scores.col(0);
  const double update = least(30, [&] {
    dense.absorb(scores);
    dense.solve(g);
  });
  const double flops = double(p) * double(b) * (3.0 * double(p) + 2.0 * double(b));
  std::cout << "Woodbury update of " << p << " x " << p << " by " << b
            << " scores: " << flops / update / 1e9 << " GFlop/s, dsymm and dsyrk on every thread "
            << rate / 1e9 << ": " << 100.0 * flops / update / rate << "%\n";
}
