#include "rates.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/solve/run.hpp"

namespace fisherman::cli::study {

double fitted_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  const double n = double(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) mx += std::log(x[k]) / n, my += std::log(y[k]) / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xy += (std::log(x[k]) - mx) * (std::log(y[k]) - my);
    xx += (std::log(x[k]) - mx) * (std::log(x[k]) - mx);
  }
  return xy / xx;
}

Slope slope_of_mean(const std::vector<double>& x, const std::vector<std::vector<double>>& y) {
  const auto without = [&](std::size_t left_out) {
    std::vector<double> mean(x.size(), 0.0);
    for (std::size_t s = 0; s < y.size(); ++s)
      for (std::size_t k = 0; k < x.size() && s != left_out; ++k) mean[k] += y[s][k];
    return fitted_slope(x, mean);  // a factor moves no slope
  };
  const double n = double(y.size());
  std::vector<double> slopes;
  for (std::size_t s = 0; s < y.size(); ++s) slopes.push_back(without(s));
  // The jackknife: n − 1 times the variance of the mean of these.
  return {without(y.size()), y.size() < 2 ? 0.0 : (n - 1.0) * estimate(slopes).error};
}

namespace {

constexpr Index order = 3;

/// Any positive definite matrix and any mean will do; these are fixed.
Matrix optimal_covariance() {
  const Matrix a = Draws(7, 0).normals(0, order, order);
  return 0.3 * Matrix::Identity(order, order) + a * a.transpose() / double(order);
}
Vector optimal_mean() { return Draws(7, 0).normals(1, order, 1); }

/// Maximum likelihood for a Gaussian, from one draw of N(m*, Σ*) an iteration: a problem with noise whose
/// optimum is known.
struct Stream {
  Vector mean = optimal_mean();
  Matrix root = optimal_covariance().llt().matrixL();

  Vector gradient(const GaussianBuresWasserstein& q, const Draws& draws) const {
    return -score(q, mean + root * draws.normals(0, order, 1));
  }
  Matrix scores(const GaussianBuresWasserstein& q, const Draws& draws) const {
    const Matrix L = q.covariance().llt().matrixL();
    return score(q, q.mean() + L * draws.normals(1, order, 1));
  }
  /// ∇ log q(y) = (a, ½aaᵀ − ½Σ⁻¹) with a = Σ⁻¹(y − μ).
  static Vector score(const GaussianBuresWasserstein& q, const Vector& y) {
    const Matrix inverse = q.covariance().inverse();
    const Vector a = inverse * (y - q.mean());
    const Matrix E = 0.5 * (a * a.transpose() - inverse);
    Vector ambient(order + order * order);
    ambient << a, Eigen::Map<const Vector>(E.data(), E.size());
    return q.pull(ambient);
  }
};

Matrix matrix_of(const FisherOperator& fisher, Index d) {
  Matrix out(d, d);
  for (Index k = 0; k < d; ++k) out.col(k) = fisher.apply(Vector::Unit(d, k));
  return out;
}

/// The operator norm of a symmetric matrix.
double norm_of(const Matrix& m) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(m, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .cwiseAbs()
      .maxCoeff();
}

/// Doubling from 1/32 of the iterations.
std::vector<double> marks_of(std::int64_t iterations) {
  std::vector<double> out;
  for (std::int64_t parts = 32; parts >= 1; parts /= 2) out.push_back(double(iterations / parts));
  return out;
}

struct RateRun {
  std::vector<double> distances, operators;  // squared distance to the optimum; ‖𝐇 − I_F‖
};

std::string words(double decay, Carry how) {
  return sentence("α = ", decay, ", ", how == Carry::frame ? "frame" : "the paper's transport");
}

RateRun walk(const std::vector<double>& marks, std::uint64_t seed, double decay, Carry how) {
  const GaussianBuresWasserstein optimum =
      gaussian_bures_wasserstein(optimal_mean(), optimal_covariance());
  const auto start = gaussian_bures_wasserstein(optimal_mean() + Vector::Constant(order, 0.3),
                                                0.7 * optimal_covariance());
  const Index d = start.dimension();
  State state{start, Dense(d, {.epsilon = 20.0}), seed};
  RunOptions options{.rule = {.step_size = 0.3, .delay = 20.0, .decay = decay}};
  options.carry = how;
  options.evaluate_every = 0;
  RateRun found{std::vector<double>(marks.size(), 0.0), {}};
  const auto observe = [&](const Record& record, const auto& now) {
    const double s = double(record.iteration);
    for (std::size_t k = 0; k < marks.size(); ++k)
      if (s > 0.9 * marks[k] && s <= marks[k])  // a stretch, since one point alone is mostly noise
        found.distances[k] +=
            std::pow(now.frame.distance(optimum), 2) / (marks[k] - std::floor(0.9 * marks[k]));
    // At the iterate itself and not carried to the optimum: the two differ by O(d(θ,θ*)), which is
    // O(s^(-α/2)) and so of lower order than the bound.
    if (std::find(marks.begin(), marks.end(), s) == marks.end()) return;
    Dense fisher = now.fisher;  // whose inverse is made of what it has put aside
    found.operators.push_back(
        norm_of(fisher.inverse().inverse() - matrix_of(gaussian_fisher(now.frame), d)));
  };
  Stream model;
  run(state, model, options, after_iterations(std::int64_t(marks.back())), {observe});
  return found;
}

/// The same, from its file if it has been walked before.
RateRun kept_walk(const RatesOptions& options, const std::vector<double>& marks, std::uint64_t seed,
                  double decay, Carry how) {
  const std::filesystem::path file =
      options.folder / "runs" /
      sentence(options.iterations, "-", decay, how == Carry::frame ? "-frame-" : "-paper-", seed,
               ".run");
  const std::string about = sentence(words(decay, how), ", seed ", seed);
  if (std::filesystem::exists(file)) {
    Reader kept(read_checkpoint(file));
    const auto next = [&] {
      const Vector values = kept.get_vector();
      return std::vector<double>(values.begin(), values.end());
    };
    RateRun found;
    found.distances = next();
    found.operators = next();
    options.say(about + ": had ended before");
    return found;
  }
  const RateRun found = walk(marks, seed, decay, how);
  Writer kept;
  for (const std::vector<double>* values : {&found.distances, &found.operators})
    kept.put(Vector(Eigen::Map<const Vector>(values->data(), Index(values->size()))));
  write_checkpoint(file, kept.bytes());  // which has a checksum
  options.say(about);
  return found;
}

Rate rate(const std::string& where, const std::string& claim, double bound,
          const std::vector<double>& x, const std::vector<std::vector<double>>& y) {
  Rate out{{}, slope_of_mean(x, y), bound, claim, where};
  out.band.label = where;
  out.band.iterations = out.band.seconds = x;
  out.band.runs = out.band.well = y.size();
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::vector<double> values;
    for (const auto& one : y) values.push_back(one[k]);
    const Estimate here = estimate(values);
    out.band.mean.push_back(here.mean);
    out.band.error.push_back(here.error);
  }
  return out;
}

/// KL(q ‖ p).
double divergence(const Vector& mean, const Matrix& cov, const Vector& p_mean,
                  const Matrix& p_cov) {
  const Eigen::LLT<Matrix> p(p_cov), q(cov);
  const Vector apart = p.matrixL().solve(p_mean - mean);
  const Matrix ratio = p.matrixL().solve(Matrix(q.matrixL()));
  // tr R − n − log det R with R = Lp⁻¹ Σ Lp⁻ᵀ, summed entry by entry so that little cancels.
  double sum = apart.squaredNorm();
  for (Index i = 0; i < mean.size(); ++i) {
    const double t = ratio(i, i);
    sum += ratio.row(i).head(i).squaredNorm() + (t * t - 1.0) - 2.0 * std::log(t);
  }
  return 0.5 * sum;
}

/// |KL(q_θ ‖ q_R(v)) / ½F[v,v] − 1| for v along several directions, ever shorter; against 1/|v|.
template <class F>
Rate expansion(const F& at, const std::string& where, std::int64_t directions) {
  std::vector<double> inverse_lengths;
  for (int k = 2; k <= 6; ++k) inverse_lengths.push_back(std::pow(10.0, 0.5 * k));
  std::vector<std::vector<double>> errors;
  const FisherOperator fisher = gaussian_fisher(at);
  for (std::int64_t k = 0; k < directions; ++k) {
    const Vector u = Vector(Draws(9, std::uint64_t(k)).normals(0, at.dimension(), 1)).normalized();
    auto& row = errors.emplace_back();
    for (const double x : inverse_lengths) {
      const Vector v = u / x;
      const F there = at.retract(v);
      const double kl = divergence(at.mean(), at.covariance(), there.mean(), there.covariance());
      row.push_back(std::abs(kl / (0.5 * v.dot(fisher.apply(v))) - 1.0));
    }
  }
  // o(|v|²): the relative error vanishes. Of a smooth family it does so like |v| or faster.
  return rate(where, "KL(q‖q_R(v)) = ½F[v,v] + o(|v|²): the relative error falls like |v|", -1.0,
              inverse_lengths, errors);
}

}  // namespace

Rates measured_rates(const RatesOptions& options) {
  Rates out;
  std::error_code error;
  std::filesystem::create_directories(options.folder / "runs", error);
  if (error)
    throw FileError(sentence(options.folder.string(), ": cannot be made: ", error.message()));
  const std::vector<double> marks = marks_of(options.iterations);
  for (const double decay : {0.75, 0.9})
    for (const Carry how : {Carry::frame, Carry::paper}) {
      std::vector<RateRun> all(std::size_t(options.seeds));
      parallel_for(all.size(),
                   [&](std::size_t k) { all[k] = kept_walk(options, marks, k + 1, decay, how); });
      std::vector<std::vector<double>> distances, operators;
      for (const RateRun& found : all) {
        distances.push_back(found.distances);
        operators.push_back(found.operators);
      }
      const std::string where = words(decay, how);
      // Its logarithm bends the first bound by a tenth and more over these marks, so it is taken along. The
      // second is held to the power alone, which is stricter.
      std::vector<double> bound;
      for (const double s : marks) bound.push_back(std::log(s) * std::pow(s, -decay));
      out.distances.push_back(rate(where, "d(θ_s, θ*)² = O(log s / s^α)",
                                   fitted_slope(marks, bound), marks, distances));
      out.operators.push_back(rate(where, "‖H_s − I_F‖ = O((log s)^(1+δ) / s^(3α/2−1))",
                                   1.0 - 1.5 * decay, marks, operators));
    }
  const Vector mean = optimal_mean();
  const Matrix covariance = optimal_covariance();
  const std::int64_t directions = 10;
  out.divergences.push_back(
      expansion(gaussian_euclidean(mean, covariance), "Euclidean", directions));
  out.divergences.push_back(
      expansion(gaussian_bures_wasserstein(mean, covariance), "Bures-Wasserstein", directions));
  out.divergences.push_back(expansion(gaussian_affine(mean, covariance), "affine", directions));
  return out;
}

}  // namespace fisherman::cli::study
