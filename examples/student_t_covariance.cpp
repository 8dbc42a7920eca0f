// The scatter matrix of a multivariate t distribution, by maximum likelihood on positive definite
// matrices.
//
//   density   f(y; Σ) ∝ |Σ|^-½ (1 + yᵀΣ⁻¹y/ν)^-(ν+d)/2, ν known
//   score     ∇_Σ log f = ½(w aaᵀ − Σ⁻¹) with a = Σ⁻¹y and w = (ν+d)/(ν + yᵀΣ⁻¹y): far points count
//             little
//   optimum   Σ̂ = mean of w y yᵀ, where w depends on Σ̂: the classical fixed point (EM), iterated
//             here on all data as an independent check.
//
// In the affine frame the coordinates are seen from Σ itself, so the Fisher matrix is the same at
// every Σ and old scores never go stale.
#include <Eigen/Dense>
#include <cmath>
#include <iostream>

#include "fisherman/fisherman.hpp"

using namespace fisherman;

constexpr Index nu = 4;

// y = Lz·√(ν/χ²_ν)
Matrix sample(const Matrix& L, const Draws& draws, std::uint32_t stream, Index count) {
  const Matrix z = draws.normals(stream, L.rows(), count);
  const Vector chi2 = draws.normals(stream + 1, nu, count).colwise().squaredNorm();
  return L * z * (double(nu) / chi2.array()).sqrt().matrix().asDiagonal();
}

// w for each column of y, given the squared lengths yᵀΣ⁻¹y.
Vector weights(const Vector& squared, Index d) {
  return double(nu + d) / (double(nu) + squared.array());
}

struct StudentT {
  Matrix data;  // d×N
  Index rows;   // of a minibatch

  enum Stream : std::uint32_t { for_rows, for_scores };

  // Scores at the columns of y. All but the constant has rank one, w aaᵀ: given the columns √w a,
  // pull_squares takes O(d²) for each, where pull of the whole matrix would take O(d³).
  static Matrix scores_at(const SpdAffine& sigma, const Matrix& y) {
    const Eigen::LLT<Matrix> llt(sigma.matrix());
    const Matrix a = llt.solve(y);
    const Vector w = weights(y.cwiseProduct(a).colwise().sum(), y.rows());
    const Matrix inverse = llt.solve(Matrix::Identity(y.rows(), y.rows()));
    const Vector constant = sigma.pull(as_vector(inverse));
    return 0.5 * (sigma.pull_squares(a * w.cwiseSqrt().asDiagonal()).colwise() - constant);
  }
  // From the model: y ~ f(·; Σ). Data would give the empirical Fisher, which is another matrix.
  Matrix scores(const SpdAffine& sigma, const Draws& draws) const {
    return scores_at(sigma, sample(sigma.cholesky(), draws, for_scores, 4));
  }
  // The loss is the mean negative log-likelihood; its gradient is minus the mean score of the data.
  Vector gradient(const SpdAffine& sigma, const Draws& draws) const {
    const Matrix batch = data(Eigen::all, draws.integers(for_rows, rows, data.cols()));
    return -scores_at(sigma, batch).rowwise().mean();
  }
};

// Σ ← mean of w y yᵀ, until it stands still.
Matrix fixed_point(const Matrix& y) {
  Matrix sigma = Matrix::Identity(y.rows(), y.rows()), before;
  do {
    before = sigma;
    const Matrix a = before.llt().solve(y);
    const Vector w = weights(y.cwiseProduct(a).colwise().sum(), y.rows());
    sigma = y * w.asDiagonal() * y.transpose() / double(y.cols());
  } while ((sigma - before).norm() > 1e-12 * sigma.norm());
  return sigma;
}

int main() {
  const Matrix L{
      {3.0, 0.0, 0.0, 0.0}, {-2.0, 1.0, 0.0, 0.0}, {0.5, 0.2, 0.1, 0.0}, {0.0, 1.0, 0.0, 2.0}};
  const StudentT model{.data = sample(L, Draws(11, 0), 0, 2000), .rows = 50};
  const SpdAffine optimum(fixed_point(model.data));

  const SpdAffine start(Matrix::Identity(4, 4));
  const Index iterations = 2000;
  State state{start, Dense(start.dimension()), 3};
  run(state, model, {.rule = {.step_size = 1.0, .delay = 2.0, .decay = 1.0}},
      after_iterations(iterations));
  const SpdAffine estimate = state.estimate();

  // Rows are drawn with replacement, so the estimate keeps a random error about the optimum. Steps
  // of c/(c₁+s) make its covariance c²/(2c−1) times that of a maximum likelihood estimate from
  // rows × iterations rows, the learnt 𝐇⁻¹ by their number: three standard errors, with c = 2.
  const double one = 4.0 / 3.0 * state.fisher.inverse().trace();
  const double tolerance = 3.0 * std::sqrt(one / double(model.rows * iterations));
  const double error = estimate.distance(optimum);
  std::cout << "estimate\n"
            << estimate.matrix() << "\nfixed point\n"
            << optimum.matrix() << '\n'
            << "distance to the fixed point  " << error << " (at most " << tolerance << ")\n"
            << "distance at the start        " << start.distance(optimum) << '\n'
            << "distance to the truth        " << estimate.distance(SpdAffine(L * L.transpose()))
            << '\n';
  if (!(error < tolerance)) {
    std::cerr << "The estimate is not the fixed point of the likelihood equations.\n";
    return 1;
  }
}
