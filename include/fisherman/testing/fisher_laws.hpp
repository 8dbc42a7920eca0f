// The laws of a Fisher approximation (fisher/fisher.hpp), against a dense inverse of the same
// scores.
#pragma once

#include <Eigen/LU>
#include <functional>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/testing/law_report.hpp"

namespace fisherman::testing {

struct FisherLawOptions {
  /// 𝐇⁻¹ as it should be after these scores (all absorbed so far, oldest first). Without it only
  /// structure is checked.
  std::function<Matrix(const Matrix& scores)> reference = {};
  /// False for an approximation whose coordinates follow its scores, so that their order matters.
  bool one_by_one = true;
  Index blocks = 6;          // how many blocks of scores to absorb
  Index scores = 3;          // scores a block
  double tolerance = 1e-10;  // relative
  std::uint64_t seed = 1;
};

/// The dense inverse of εI + ΦΦᵀ, times the number of scores.
inline std::function<Matrix(const Matrix&)> dense_reference(double epsilon) {
  return [epsilon](const Matrix& scores) {
    const Matrix H =
        epsilon * Matrix::Identity(scores.rows(), scores.rows()) + scores * scores.transpose();
    return Matrix(double(std::max<Index>(scores.cols(), 1)) * H.inverse());
  };
}

/// The matrix of v ↦ solve(v).
template <FisherApproximation H>
Matrix written_out(H& fisher) {
  const Index n = fisher.dimension();
  Matrix out(n, n);
  for (Index k = 0; k < n; ++k) out.col(k) = fisher.solve(Vector(Vector::Unit(n, k)));
  return out;
}

template <FisherApproximation H>
LawReport check_fisher(const H& start, const FisherLawOptions& options = {}) {
  LawReport report;
  const Draws draws(options.seed, 0);
  H together = start, singly = start;
  const Index n = start.dimension(), b = options.scores;
  const Matrix scores = draws.normals(0, n, options.blocks * b);
  for (Index k = 0; k < options.blocks; ++k) {
    together.absorb(Matrix(scores.middleCols(k * b, b)));
    for (Index j = 0; j < b; ++j) singly.absorb(Matrix(scores.col(k * b + j)));
  }
  const Matrix inverse = written_out(together);
  const double size = inverse.norm();
  if (options.one_by_one)
    report.below("absorbing at once or one by one is the same",
                 (inverse - written_out(singly)).norm(), options.tolerance * size);
  report.below("solve is symmetric", (inverse - inverse.transpose()).norm(),
               options.tolerance * size);
  const Vector g = draws.normals(1, n, 1), h = draws.normals(2, n, 1);
  const Vector sum = together.solve(Vector(g - 2.0 * h)), left = together.solve(g),
               right = together.solve(h);
  report.below("solve is linear", (sum - left + 2.0 * right).norm(),
               options.tolerance * (left.norm() + right.norm()));
  report.above("solve is positive definite: its smallest eigenvalue",
               spectrum(0.5 * (inverse + inverse.transpose())).values(0), 1e-12 * size);
  if (options.reference)
    report.below("solve equals the dense inverse of the same scores",
                 (inverse - options.reference(scores)).norm(), options.tolerance * size);
  if constexpr (requires(Writer w, Reader r) {
                  together.save(w);
                  together.load(r);
                }) {
    Writer out;
    together.save(out);
    H copy = start;
    Reader in(out.bytes());
    copy.load(in);
    const Matrix more = draws.normals(3, n, b);
    together.absorb(more);
    copy.absorb(more);
    Writer empty;
    start.save(empty);
    H fresh = start;
    Reader from_empty(empty.bytes());
    fresh.load(from_empty);  // one that has seen nothing yet can be saved too
    report.below(
        "a loaded approximation goes on bit for bit",
        double((Vector(together.solve(g)).array() != Vector(copy.solve(g)).array()).count()), 0.5);
  }
  return report;
}

}  // namespace fisherman::testing
