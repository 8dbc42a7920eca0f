// The dense step against its limit: one read of the triangle, as BLAS's dsymv does it, in the same
// run.
//
//     build/release/bench/dense_step [dimension] [threads]
//
// The default dimension, 7626, is the covariance of a Gaussian of order 123 (the paper's a1a data).
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/solve/step.hpp"

extern "C" void openblas_set_num_threads(int count) __attribute__((weak));

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

void line(const std::string& what, double time, double reference) {
  std::cout << std::left << std::setw(52) << what << std::right << std::fixed
            << std::setprecision(3) << std::setw(9) << 1e3 * time << " ms" << std::setw(8)
            << std::setprecision(2) << time / reference << "x dsymv\n";
}

}  // namespace

int main(int argc, char** argv) {
  const Index d = argc > 1 ? std::atol(argv[1]) : 7626;
  const int count = argc > 2 ? std::atoi(argv[2]) : 1;
  set_threads(count);
  if (openblas_set_num_threads != nullptr)
    openblas_set_num_threads(count);  // dsymv may use as many
  Dense dense(d);
  const Matrix A = Matrix::Identity(d, d);
  const Matrix phi = Draws(1, 0).normals(0, d, 64);
  const Vector g = Draws(1, 1).normals(0, d, 1);
  Vector y(d);
  std::vector<double> symv, step;
  // In turns of one folding cycle each, so that what disturbs the machine disturbs both. BLAS's threads go
  // on spinning for a while after their work and would take a core from ours: hence the pause.
  constexpr int cycle = 32, turns = 3, rounds = cycle * turns;
  const auto blas_threads = [](int number) {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(number);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  };
  for (int turn = 0; turn < turns; ++turn) {
    blas_threads(count);  // dsymv may use as many as we do
    for (int k = 0; k < cycle; ++k)
      symv.push_back(seconds([&] {
        cblas_dsymv(CblasColMajor, CblasLower, int(d), 1.0, A.data(), int(d), g.data(), 1, 0.0,
                    y.data(), 1);
      }));
    blas_threads(1);
    for (int k = 0; k < cycle; ++k)
      step.push_back(seconds([&] {
        dense.absorb(phi.col(k));
        y = dense.solve(g);
      }));
  }
  const double reference = median(symv);
  double total = 0.0, total_symv = 0.0;
  for (std::size_t k = 0; k < step.size(); ++k)
    total += step[k] / rounds, total_symv += symv[k] / rounds;
  std::cout << "dimension " << d << ", " << count << " thread(s), " << rounds << " rounds\n";
  line("dsymv (one read of the triangle), median", reference, reference);
  line("dense step, 1 score and 1 gradient, median", median(step), reference);
  line("dense step, mean, folding included", total, reference);
  std::cout << "mean step / mean dsymv: " << std::setprecision(2) << total / total_symv
            << " (limit 1.5)\n";

  const auto order = Index(std::lround(0.5 * (std::sqrt(1.0 + 8.0 * double(d)) - 1.0)));
  if (order * (order + 1) / 2 != d) return 0;  // not the size of a covariance
  const SpdAffine here(Matrix::Identity(order, order)),
      there = here.retract(Vector::Constant(here.dimension(), 1e-3));
  std::vector<double> carrying;
  for (int k = 0; k < 1000; ++k)
    carrying.push_back(seconds([&] { carry(dense, here, there, Carry::frame); }));
  line("carrying it to the next point, by the frame", median(carrying), reference);
}
