// Regressions with every likelihood on data that nobody tuned them for, and what an iteration costs.
//
//     regression [no-tuning|cost|nodes]
//
// no-tuning: as `fisherman fit regression` comes, on data of the kinds below. For each fit its status, and how far it is
// above the NELBO of a run that goes on to 1e-13. cost: the processor time of a value with its gradient, divided by that of
// the two products with the design that it cannot do without, X·Σ and XᵀDX, in the same run. nodes: how accurate the
// likelihood of several classes is, whose expectations are sums over fixed nodes.
#include <cmath>
#include <ctime>
#include <iomanip>
#include <iostream>

#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/regression.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "logistic_data.hpp"

using namespace fisherman;

namespace {

double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// plain, scaled, collinear, heavy, binary   columns as in logistic_data.hpp
/// wide       linear predictors from −7 to 14: means of counts from 1e-3 to 1e6
/// zeros      the smallest outcome only
/// outliers   every twentieth outcome a thousand times too large, where outcomes may be
/// separable  no noise in the classes
const std::vector<std::string> kinds = {"plain", "scaled", "collinear", "heavy",    "binary",
                                        "wide",  "zeros",  "outliers",  "separable"};

RegressionTarget problem(const Likelihood& l, const std::string& kind, Index n, Index p,
                         std::uint64_t seed) {
  const Draws draws(seed, 0);
  Matrix X = bench::logistic_columns(kind, n, p, draws);
  const Vector scale = X.cwiseAbs().colwise().maxCoeff().transpose().cwiseMax(1e-300);
  const Vector beta = draws.normals(2, p, 1) / std::sqrt(double(p));
  Vector eta = X * scale.cwiseInverse().asDiagonal() * beta;
  if (kind == "wide") {
    const double low = eta.minCoeff(), high = eta.maxCoeff();
    eta = -7.0 + 21.0 * (eta.array() - low) / (high - low);
  }
  if (kind == "scaled") {
    const Vector power = draws.uniforms(4, p, 1);
    for (Index j = 0; j < p; ++j) X.col(j) *= std::pow(10.0, 12.0 * power(j) - 6.0);
  }
  Outcomes o{Vector(n), {}, {}};
  const auto extras = Index(l.extra().size());
  const Vector psi = Vector::Constant(extras, 0.5);
  for (Index i = 0; i < n; ++i) {
    RandomSequence random(seed, std::uint64_t(i));
    o.y(i) = kind == "separable" && l.binary() ? (eta(i) > 0.0 ? 1.0 : 0.0)
                                               : l.sample(1.0, &eta(i), psi.data(), random);
  }
  if (kind == "zeros") o.y.setConstant(l.trouble(0.0, 1.0).empty() ? 0.0 : 1e-3);
  if (kind == "outliers" && !l.binary())
    for (Index i = 0; i < n; i += 20) o.y(i) = std::round(1000.0 * (o.y(i) + 1.0));
  // Standardised, with an intercept, as the fit does it.
  X.rowwise() -= X.colwise().mean().eval();
  for (Index j = 0; j < p; ++j) {
    const double sd = std::sqrt(X.col(j).squaredNorm() / double(n));
    if (sd > 0.0) X.col(j) /= sd;
  }
  X.conservativeResize(Eigen::NoChange, p + 1);
  X.col(p).setOnes();
  DesignPlan plan;
  for (Index j = 0; j < p; ++j) plan.names.push_back(sentence("x", j + 1));
  plan.names.emplace_back("(intercept)");
  plan.terms = p;
  plan.intercept = true;
  RegressionPriors priors = priors_for(RegressionSettings(), plan, l, o);
  return RegressionTarget(std::move(X), std::move(o), likelihood(l.name()), std::move(priors));
}

int no_tuning() {
  int fits = 0, converged = 0, wrong = 0;
  double slowest = 0.0;
  std::cout << std::left << std::setw(20) << "likelihood" << std::setw(12) << "data" << std::right
            << std::setw(10) << "size" << std::setw(7) << "iter." << std::setw(10) << "s"
            << std::setw(12) << "gap"
            << "  status\n";
  for (const auto& l : scalar_likelihoods())
    for (const std::string& kind : kinds)
      for (const auto& [n, p] : {std::pair{200, 5}, {60, 40}, {3000, 30}}) {
        if (kind == "separable" && !l->binary()) continue;
        // Without any spread there is nothing that sigma could be: said in a sentence.
        const bool spread = l->extra().empty() || !l->trouble(0.5, 1.0).empty();
        if (kind == "zeros" && !spread) continue;
        const RegressionTarget target = problem(*l, kind, n, p, 7);
        const double began = seconds();
        ErasedRun run = make_run(target, RegressionSettings());
        const FitSummary end = PlainDriver().drive(run);
        const double took = seconds() - began;
        ++fits;
        slowest = std::max(slowest, took);
        double gap = std::nan("");
        if (end.status == Status::converged) {
          ++converged;
          try {
            gap = end.objective - exact_optimum(target, 1e-13).nelbo;
          } catch (const NotFinite&) {  // rounding ends the long run first
          }
          if (gap > 1e-6) ++wrong;
        }
        std::cout << std::left << std::setw(20) << l->name() << std::setw(12) << kind << std::right
                  << std::setw(10) << sentence(n, "x", p) << std::setw(7) << end.iterations
                  << std::setw(10) << std::setprecision(3) << took << std::setw(12) << gap << "  "
                  << end.sentence << '\n';
      }
  std::cout << fits << " fits, " << converged << " converged, " << wrong
            << " of them more than 1e-6 nats above a longer run; the slowest took " << slowest
            << " s\n";
  return converged == fits && wrong == 0 ? 0 : 1;
}

int cost() {
  set_threads(1);
  std::cout << "10,000 x 100; products: X·Σ and XᵀDX\n";
  double worst = 0.0;
  for (const auto& l : scalar_likelihoods()) {
    const RegressionTarget target = problem(*l, "plain", 10000, 99, 3);
    const RegressionStart q = regression_start(target);
    const Matrix& X = target.design();
    const Index p = X.cols();
    const Matrix S = q.covariance.topLeftCorner(p, p);
    const Vector weight = Vector::Constant(X.rows(), 0.3);
    constexpr int times = 10;
    double products = 0.0, all = 0.0, check = 0.0;
    for (int k = -1; k < times; ++k) {  // the first is to warm up: BLAS maps its buffers then
      if (k == 0) products = all = 0.0;
      double began = seconds();
      for (Index first = 0; first < X.rows(); first += 500) {
        const auto x = X.middleRows(first, 500);
        const Matrix xs = x * S;
        Matrix gram = Matrix::Zero(p, p);
        const Matrix scaled = weight.segment(first, 500).asDiagonal() * x;
        gram.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
        check += xs(0, 0) + gram(0, 0);
      }
      products += seconds() - began;
      Vector mean = q.mean;
      mean(0) += 1e-9 * (k + 2);  // another Gaussian: nothing is remembered
      began = seconds();
      check += target.expectation(mean, q.covariance).value;
      all += seconds() - began;
    }
    worst = std::max(worst, all / products);
    std::cout << std::left << std::setw(20) << l->name() << std::right << std::fixed
              << std::setprecision(2) << "products " << 1e3 * products / times << " ms, iteration "
              << 1e3 * all / times << " ms, ratio " << all / products
              << (std::isfinite(check) ? "" : " ?") << '\n';
  }
  std::cout << "largest ratio " << worst << '\n';
  return 0;
}

/// Columns are standard normal, and `size` is the standard deviation of each linear predictor.
RegressionTarget classes_problem(Index classes, Index n, Index p, double size) {
  const Draws draws(5, 0);
  const Index m = classes - 1;
  Matrix X = draws.normals(0, n, p + 1);
  X.col(p).setOnes();
  const Matrix beta = size / std::sqrt(double(p + 1)) * draws.normals(1, p + 1, m);
  const auto l = multinomial_likelihood(classes);
  Outcomes o{Vector(n), {}, {}};
  for (Index i = 0; i < n; ++i) {
    RandomSequence random(6, std::uint64_t(i));
    const Vector eta = beta.transpose() * X.row(i).transpose();
    o.y(i) = l->sample(1.0, eta.data(), nullptr, random);
  }
  RegressionPriors priors;
  priors.coefficients.assign(std::size_t(m * (p + 1)),
                             {CoefficientPrior::Family::normal, 0.0, std::sqrt(10.0)});
  return RegressionTarget(std::move(X), std::move(o), l, std::move(priors));
}

/// At the optimum: what 16 times as many nodes change the NELBO by, and how far the optimum by 4 times as many is from it.
int nodes() {
  std::cout
      << "classes   rows  columns  signal  nodes  iter.        s   NELBO by 16x   means by 4x, sd"
         "   sds by 4x\n";
  for (const Index classes : {3, 4, 5, 10})
    for (const auto& [n, size] : {std::pair{150, 1.0}, {150, 4.0}, {1000, 1.0}}) {
      const RegressionTarget target = classes_problem(classes, n, 8, size);
      const double began = seconds();
      const RegressionOptimum q = exact_optimum(target);
      const double took = seconds() - began;
      const auto at_nodes = [&](Index more) {
        return target.with(multinomial_likelihood(classes, more * usual_nodes));
      };
      const double change =
          target.expected(q.mean, q.covariance) - at_nodes(16).expected(q.mean, q.covariance);
      const RegressionOptimum finer = exact_optimum(at_nodes(4));
      const Vector sd = finer.covariance.diagonal().cwiseSqrt();
      const double means = ((q.mean - finer.mean).cwiseQuotient(sd)).cwiseAbs().maxCoeff();
      const double sds =
          (q.covariance.diagonal().cwiseSqrt().cwiseQuotient(sd).array() - 1.0).abs().maxCoeff();
      std::cout << std::setw(7) << classes << std::setw(7) << n << std::setw(9) << 8 << std::setw(8)
                << size << std::setw(7) << normal_nodes(classes - 1).weight.size() << std::setw(7)
                << q.iterations << std::setw(9) << std::setprecision(2) << took << std::setw(15)
                << change << std::setw(18) << means << std::setw(12) << sds << '\n';
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  require(argc <= 2 && (what.empty() || what == "no-tuning" || what == "cost" || what == "nodes"),
          "usage: regression [no-tuning|cost|nodes]");
  int out = 0;
  if (what.empty() || what == "no-tuning") out = no_tuning();
  if (what.empty() || what == "cost") out = std::max(out, cost());
  if (what.empty() || what == "nodes") out = std::max(out, nodes());
  return out;
} catch (const std::exception& e) {
  std::cerr << "regression: " << e.what() << '\n';
  return 1;
}
