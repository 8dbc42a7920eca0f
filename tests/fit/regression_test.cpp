// Regressions from columns to fitted posteriors: the optimum, priors, predictions, checks, saving and loading.
#include "fisherman/fit/regression.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "../../src/fit/regression/fitted.hpp"
#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fit/prior_words.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/normal_quadrature.hpp"
#include "fisherman/solve/descend.hpp"
#include "toy.hpp"

namespace fisherman::fit_regression_test {
namespace {

Vector usual_extra(const Likelihood& l) {
  return l.extra().size() == 2 ? Vector{{-0.3, 1.5}}
                               : Vector(Vector::Constant(Index(l.extra().size()), 0.4));
}

/// Outcomes for linear predictors, drawn from the likelihood.
Outcomes drawn(const Likelihood& l, const Vector& eta, const Vector& psi, std::uint64_t seed,
               double trials = 1.0) {
  Outcomes out{Vector(eta.size()), {}, {}};
  if (trials > 1.0) out.trials = Vector::Constant(eta.size(), trials);
  for (Index i = 0; i < eta.size(); ++i) {
    RandomSequence random(seed, std::uint64_t(i));
    out.y(i) = l.sample(trials, &eta(i), psi.data(), random);
  }
  return out;
}

RegressionTarget problem(const std::string& name, Index n, Index p, std::uint64_t seed) {
  const auto l = likelihood(name);
  Matrix X = toy::random_matrix(n, p, seed);
  X.col(p - 1).setOnes();
  const Vector beta = 0.5 * toy::random_vector(p, seed + 1);
  RegressionPriors priors;
  priors.coefficients.assign(std::size_t(p), {CoefficientPrior::Family::normal, 0.0, 1.5});
  priors.extra = l->extra_priors(1.0);
  Outcomes o = drawn(*l, X * beta, usual_extra(*l), seed + 2);
  return RegressionTarget(std::move(X), std::move(o), l, std::move(priors));
}

/// The NELBO in other coordinates, mean and Cholesky factor with a logarithmic diagonal, with numerical derivatives: slow,
/// and with nothing in common with the solver but the value.
class BruteForce {
 public:
  explicit BruteForce(const RegressionTarget& target) : target_(target) {}

  Index dimension() const {
    const Index d = target_.dimension();
    return d + d * (d + 1) / 2;
  }
  double value(const Vector& x) const {
    const Index d = target_.dimension();
    Matrix L = Matrix::Zero(d, d);
    Index k = d;
    for (Index j = 0; j < d; ++j)
      for (Index i = j; i < d; ++i, ++k) L(i, j) = i == j ? std::exp(x(k)) : x(k);
    const double entropy =
        0.5 * double(d) * (1.0 + std::log(2.0 * M_PI)) + L.diagonal().array().log().sum();
    return -entropy - target_.expected(x.head(d), L * L.transpose());
  }
  Vector gradient(const Euclidean& frame, const Draws&) const {
    const Vector x = frame.point();
    Vector g(x.size());
    for (Index k = 0; k < x.size(); ++k) {
      constexpr double h = 1e-5;
      Vector up = x, down = x;
      up(k) += h, down(k) -= h;
      g(k) = (value(up) - value(down)) / (2 * h);
    }
    return g;
  }
  double objective(const Euclidean& frame) const { return value(frame.point()); }

 private:
  const RegressionTarget& target_;
};

TEST(ExactOptimum, EqualsABruteForceOptimisersForEveryLikelihood) {
  for (const auto& l : scalar_likelihoods()) {
    const RegressionTarget target = problem(l->name(), 40, 2, 3);
    const RegressionOptimum ours = exact_optimum(target);
    BruteForce model(target);
    const Index d = target.dimension();
    // Away from the optimum, but not so far that the numerical derivatives lead into deserts.
    const RegressionStart near = regression_start(target);
    Vector start = Vector::Zero(model.dimension());
    start.head(d) = near.mean.array() + 0.1;
    for (Index j = 0, k = d; j < d; k += d - j, ++j)
      start(k) = 0.2 + 0.5 * std::log(near.covariance(j, j));
    State state{Euclidean(start), Identity(model.dimension())};
    const Outcome outcome = descend(state, model, DescentOptions{.memory = 40},
                                    when_predicted_below(1e-11) || after_iterations(500));
    EXPECT_TRUE(outcome.status == Status::converged || outcome.status == Status::stalled);
    EXPECT_NEAR(ours.nelbo, state.objective, 1e-6) << l->name();
    EXPECT_LE(ours.nelbo, state.objective + 1e-9) << l->name();
    EXPECT_LT((ours.mean - state.frame.point().head(d)).cwiseAbs().maxCoeff(), 1e-3) << l->name();
  }
}

// A Gaussian likelihood whose σ is known from many rows, and normal priors: the posterior of the coefficients is the
// conjugate one. 2,000 rows know log σ to 1/√4000, whose square is how far the two may differ, relatively.
TEST(ExactOptimum, IsTheConjugatePosterior) {
  const RegressionTarget target = problem("gaussian", 2000, 3, 5);
  const RegressionOptimum q = exact_optimum(target);
  const double precision = std::exp(-2.0 * q.mean(3) + 2.0 * q.covariance(3, 3));
  Matrix A = precision * target.design().transpose() * target.design();
  A.diagonal().array() += 1.0 / (1.5 * 1.5);
  const Matrix exact = A.inverse();
  const Vector mean = precision * exact * target.design().transpose() * target.outcomes().y;
  EXPECT_LT((q.covariance.topLeftCorner(3, 3) - exact).norm(), 1e-3 * exact.norm());
  EXPECT_LT((q.mean.head(3) - mean).norm(), 1e-3 * std::sqrt(exact.trace()));
}

// Parameters from the prior, data from the parameters: the posterior's quantile of the true value is uniform. 1,000 data
// sets: Kolmogorov's distance is below 1.95/√1000 but once in a thousand.
TEST(Calibration, RanksOfTrueParametersAreUniform) {
  for (const char* name : {"logistic", "poisson", "gamma"}) {
    const auto l = likelihood(name);
    const Index n = 150, p = 3;
    std::vector<std::vector<double>> ranks(std::size_t(p + Index(l->extra().size())));
    for (std::uint64_t k = 0; k < 1000; ++k) {
      Matrix X = toy::random_matrix(n, p, 100 + k);
      X.col(p - 1).setOnes();
      const Vector beta = 0.7 * toy::random_vector(p, 1000000 + k);
      RegressionPriors priors;
      priors.coefficients.assign(std::size_t(p), {CoefficientPrior::Family::normal, 0.0, 0.7});
      if (!l->extra().empty()) priors.extra = {{ScalePrior::Family::lognormal, 2.0, 0.5}};
      const Vector psi = Vector::Constant(
          Index(l->extra().size()), std::log(2.0) + 0.5 * toy::random_vector(1, 2000000 + k)(0));
      const RegressionTarget target(X, drawn(*l, X * beta, psi, 3000000 + k), l, priors);
      const RegressionOptimum q = exact_optimum(target, 1e-6);
      for (std::size_t j = 0; j < ranks.size(); ++j) {
        const double truth = Index(j) < p ? beta(Index(j)) : psi(0);
        ranks[j].push_back(normal_distribution((truth - q.mean(Index(j))) /
                                               std::sqrt(q.covariance(Index(j), Index(j)))));
      }
    }
    for (std::size_t j = 0; j < ranks.size(); ++j) {
      std::sort(ranks[j].begin(), ranks[j].end());
      double distance = 0.0;
      for (std::size_t i = 0; i < ranks[j].size(); ++i)
        distance = std::max(
            {distance, ranks[j][i] - double(i) / 1000.0, double(i + 1) / 1000.0 - ranks[j][i]});
      EXPECT_LT(distance, 1.95 / std::sqrt(1000.0)) << name << " parameter " << j;
    }
  }
}

Column numbers(std::string name, Vector values) {
  Column out;
  out.name = std::move(name);
  out.numbers = std::move(values);
  return out;
}

Column levels(std::string name, std::vector<std::string> words) {
  Column out;
  out.name = std::move(name);
  out.levels = std::move(words);
  return out;
}

/// Columns: a number, a word with three levels, a group, and an outcome.
Columns some_columns(const std::string& name, Index n) {
  const auto l = likelihood(name);
  const Matrix z = toy::random_matrix(n, 1, 8);
  Columns out;
  out.rows = n;
  Column x = numbers("x", 5.0 + 3.0 * z.col(0).array());
  Column colour = levels("colour", {"blue", "green", "red"});
  Column school = levels("school", {"a", "b", "c", "d", "e"});
  Vector eta(n);
  for (Index i = 0; i < n; ++i) {
    colour.codes.push_back(std::int32_t(i % 3));
    school.codes.push_back(std::int32_t((i / 3) % 5));
    eta(i) = 0.5 * z(i, 0) + 0.4 * double(i % 3) + 0.5 * (double((i / 3) % 5) - 2.0) - 0.3;
  }
  Column y = numbers("y", drawn(*l, eta, usual_extra(*l), 4).y);
  out.all = {std::move(x), std::move(colour), std::move(school), std::move(y)};
  out.label = "y";
  return out;
}

FitData data_of(Columns columns) {
  FitData out;
  out.table = table_of_columns(std::move(columns));
  out.where = out.labels_where = "table.csv";
  return out;
}

std::unique_ptr<RegressionFitted> fitted(FitData data, const RegressionSettings& s) {
  PlainDriver driver;
  std::unique_ptr<Fitted> fit = RegressionFitted::fit(std::move(data), s, "regression", driver);
  return std::unique_ptr<RegressionFitted>(dynamic_cast<RegressionFitted*>(fit.release()));
}

TEST(RegressionFit, IsSavedAndLoadedAndPredictsTheSame) {
  for (const auto& l : scalar_likelihoods()) {
    RegressionSettings s;
    s.likelihood = l->name();
    s.group = "school";
    const Columns columns = some_columns(l->name(), 150);
    const auto fit = fitted(data_of(columns), s);
    EXPECT_EQ(fit->summary.status, Status::converged) << l->name();
    EXPECT_EQ(fit->plan.names[0], "x");
    SavedFit saved{fields_of_json(json_text(fit->model()), "model.json"),
                   fields_of_json(json_text(fit->result()), "result.json"),
                   {},
                   "a folder"};
    const LoadedFit loaded = load_fit(saved);
    const Table rows = table_of_columns(columns);
    const Predictions before = fit->predict(rows, "new.csv", true),
                      after = loaded.fit->predict(rows, "new.csv", true);
    EXPECT_EQ(before.values, after.values) << l->name();
    EXPECT_EQ(before.columns[0], l->binary() ? "probability" : "mean");
    EXPECT_EQ(loaded.fit->result().need_fields("loo").number("elpd"), fit->loo().elpd);
    const FittedDraws draws = fit->draws(50, 3, Units::own);
    EXPECT_EQ(draws.names.size(), std::size_t(draws.values.cols()));
    EXPECT_TRUE(draws.log_p.allFinite());
  }
}

// A group that the fit has not seen: its effect has mean 0 and the group's variance.
TEST(RegressionFit, PredictsForGroupsThatItHasNotSeen) {
  RegressionSettings s;
  s.likelihood = "gaussian";
  s.group = "school";
  const auto fit = fitted(data_of(some_columns("gaussian", 300)), s);
  Columns rows = some_columns("gaussian", 2);
  Column& school = rows.all[2];
  school.levels = {"a", "z"};
  school.codes = {0, 1};
  for (Column* same : {&rows.all[0]}) same->numbers.setConstant(5.0);
  rows.all[1].codes = {0, 0};
  const Predictions p = fit->predict(table_of_columns(rows), "new.csv", true);
  const auto sd = fit->positives(Units::own)[0];
  EXPECT_EQ(sd.name, "sd(school)");
  const double of_group = std::exp(2.0 * sd.log_mean + 2.0 * sd.log_sd * sd.log_sd);
  EXPECT_GT(p.values(1, 1), std::sqrt(of_group));
  EXPECT_GT(p.values(1, 1), p.values(0, 1));
}

TEST(Priors, AreWhatTheSettingsSay) {
  RegressionSettings s;
  s.likelihood = "gaussian";
  const Columns columns = some_columns("gaussian", 90);
  const auto plan = DesignPlan::of(columns, "y", s, "table.csv");
  const auto l = likelihood("gaussian");
  const Outcomes o{columns.find("y")->numbers, {}, {}};
  const double sd = std::sqrt((o.y.array() - o.y.mean()).square().mean());
  const RegressionPriors usual = priors_for(s, plan, *l, o);
  EXPECT_NEAR(usual.coefficients[0].scale, std::sqrt(10.0) * sd, 1e-12);
  const auto intercept = std::size_t(plan.terms);
  EXPECT_NEAR(usual.coefficients[intercept].location, o.y.mean(), 1e-12);
  s.prior = "student_t(4,0,2); x=laplace(0.5,1); (intercept)=flat";
  s.sd_prior = "sigma=exponential(3)";
  const RegressionPriors own = priors_for(s, plan, *l, o);
  EXPECT_EQ(words(own.coefficients[0]), "laplace(0.5,1)");
  EXPECT_EQ(words(own.coefficients[1]), "student_t(4,0,2)");
  EXPECT_EQ(words(own.coefficients[intercept]), "flat");
  EXPECT_EQ(words(own.extra[0]), "exponential(3)");
  s.prior_units = PriorUnits::own;
  EXPECT_NEAR(priors_for(s, plan, *l, o).coefficients[0].scale, plan.scale(0), 1e-12);
  s.prior = "age=normal(0,1)";
  expect_misuse([&] { priors_for(s, plan, *l, o); }, "--prior names 'age', which does not exist");
  s.prior = "normal(0,-1)";
  expect_misuse([&] { priors_for(s, plan, *l, o); }, "with a positive scale");
  s.prior = "normal(0)";
  expect_misuse([&] { priors_for(s, plan, *l, o); }, "but must be normal(location,scale)");
  s.prior = "";
  s.sd_prior = "half_normal(1)";
  expect_misuse([&] { priors_for(s, plan, *l, o); }, "there are no groups");
}

// A weight of 2 is the row twice, wherever rows are counted: standardising, missing values, default priors, the fit.
TEST(RegressionProblem, AWeightOfTwoIsTheRowTwice) {
  std::vector<std::string> x, y, w, x2, y2;
  for (int i = 0; i < 12; ++i) {
    const std::string value = i == 3 ? "NA" : std::to_string(i * i),
                      outcome = std::to_string(7 * i % 5);
    x.push_back(value), y.push_back(outcome), w.push_back(std::to_string(1 + i % 2));
    for (int k = 0; k <= i % 2; ++k) x2.push_back(value), y2.push_back(outcome);
  }
  const auto columns =
      [](const std::vector<std::pair<std::string, std::vector<std::string>>>& all) {
        Columns out;
        for (const auto& [name, cells] : all)
          out.all.push_back(column_of_texts(name, cells, "a test"));
        out.rows = out.all.front().rows();
        return out;
      };
  const auto problem_of = [](Columns data, const std::string& weights, const std::string& name) {
    RegressionSettings s;
    s.likelihood = name;
    s.weights = weights;
    s.missing = MissingValues::mean;
    data.label = "y";
    return regression_problem(
        {.table = table_of_columns(std::move(data)), .where = "a test", .labels_where = "a test"},
        s);
  };
  for (const char* name : {"gaussian", "poisson", "multinomial"}) {
    const RegressionProblem a = problem_of(columns({{"x", x}, {"w", w}, {"y", y}}), "w", name),
                            b = problem_of(columns({{"x", x2}, {"y", y2}}), "", name);
    EXPECT_NEAR(a.plan.shift(0), b.plan.shift(0), 1e-12);
    EXPECT_NEAR(a.plan.scale(0), b.plan.scale(0), 1e-12);
    const auto scales = [](const RegressionProblem& problem) {
      Vector out(Index(problem.target->priors().coefficients.size()));
      for (Index j = 0; j < out.size(); ++j)
        out(j) = problem.target->priors().coefficients[std::size_t(j)].scale;
      return out;
    };
    EXPECT_LT((scales(a) - scales(b)).cwiseAbs().maxCoeff(), 1e-12) << name;
    EXPECT_NEAR(exact_optimum(*a.target).nelbo, exact_optimum(*b.target).nelbo, 1e-8) << name;
  }
}

/// Three classes by two columns and an intercept; every seventh row is all zeros.
RegressionTarget three_classes(bool swapped, Index n = 60) {
  Matrix X = toy::random_matrix(n, 3, 21);
  X.col(2).setOnes();
  for (Index i = 0; i < n; i += 7) X.row(i).setZero();
  const Matrix beta{{1.0, -0.5}, {0.3, 0.8}, {0.2, -0.4}};
  const auto l = multinomial_likelihood(3);
  Outcomes o{Vector(n), {}, {}};
  for (Index i = 0; i < n; ++i) {
    RandomSequence random(22, std::uint64_t(i));
    const Vector eta = beta.transpose() * X.row(i).transpose();
    o.y(i) = l->sample(1.0, eta.data(), nullptr, random);
    if (swapped && o.y(i) > 0.0) o.y(i) = 3.0 - o.y(i);
  }
  RegressionPriors priors;
  priors.coefficients.assign(6, {CoefficientPrior::Family::normal, 0.0, 1.5});
  return RegressionTarget(std::move(X), std::move(o), l, std::move(priors));
}

// The expectation of two classes is the logistic one, so that nothing but rounding differs.
TEST(Multinomial, WithTwoClassesHasTheOptimumOfLogistic) {
  const RegressionTarget logistic = problem("logistic", 80, 3, 17);
  const RegressionTarget two(logistic.design(), logistic.outcomes(), likelihood("multinomial"),
                             logistic.priors());
  const RegressionOptimum a = exact_optimum(logistic), b = exact_optimum(two);
  EXPECT_NEAR(a.nelbo, b.nelbo, 1e-8);
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((a.covariance - b.covariance).cwiseAbs().maxCoeff(), 1e-8);
}

// The rings of nodes turn with the order of the classes: what is left is the error of 1,024 nodes.
TEST(Multinomial, DoesNotDependOnTheOrderOfTheOtherClasses) {
  const RegressionOptimum a = exact_optimum(three_classes(false)),
                          b = exact_optimum(three_classes(true));
  EXPECT_NEAR(a.nelbo, b.nelbo, 1e-7);
  EXPECT_LT((a.mean.head(3) - b.mean.tail(3)).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((a.covariance.topLeftCorner(3, 3) - b.covariance.bottomRightCorner(3, 3))
                .cwiseAbs()
                .maxCoeff(),
            1e-6);
}

// Columns that say the same, and a class without a row: the prior decides, and the solver converges.
TEST(Multinomial, ConvergesOnDegenerateData) {
  const RegressionTarget plain = three_classes(false);
  Matrix X(60, 4);
  X << plain.design(), plain.design().col(0);
  RegressionPriors priors;
  priors.coefficients.assign(16, {CoefficientPrior::Family::normal, 0.0, 3.0});
  const RegressionTarget target(X, plain.outcomes(), multinomial_likelihood(5), priors);
  const RegressionOptimum q = exact_optimum(target);
  EXPECT_TRUE(std::isfinite(q.nelbo));
  EXPECT_NEAR(q.mean(0), q.mean(3), 1e-6);  // the two columns share what is known of them
}

// The ELBO cannot exceed that of a finer sum by more than the error that is told.
TEST(Multinomial, TheErrorOfTheNodesIsSmall) {
  const RegressionTarget target = three_classes(false);
  const RegressionOptimum q = exact_optimum(target);
  const double coarse = target.expected(q.mean, q.covariance);
  const double fine =
      target.with(multinomial_likelihood(3, 16 * usual_nodes)).expected(q.mean, q.covariance);
  EXPECT_NEAR(coarse, fine, 1e-8);
  EXPECT_THROW(target.with(likelihood("poisson")), Misuse);
}

// Leaving out one row of several classes, as below for counts.
TEST(Multinomial, LeaveOneOutEqualsFittingWithoutTheRow) {
  const RegressionTarget target = three_classes(false, 100);
  const RegressionOptimum all = exact_optimum(target);
  const LeaveOneOut loo = leave_one_out(target, {all.mean, all.covariance}, 1);
  double exact = 0.0;
  for (Index left = 0; left < 100; ++left) {
    std::vector<Index> rows;
    for (Index i = 0; i < 100; ++i)
      if (i != left) rows.push_back(i);
    const RegressionTarget without(target.design()(rows, Eigen::all),
                                   target.outcomes().subset(rows), multinomial_likelihood(3, 256),
                                   target.priors());
    const RegressionOptimum q = exact_optimum(without, 1e-6);
    exact += std::log(class_probabilities(target.design().row(left), {q.mean, q.covariance}, 2)
                          .mean(0, Index(target.outcomes().y(left))));
  }
  // Noise of 1,000 draws, and what a Gaussian differs from the posterior of 99 rows.
  EXPECT_NEAR(loo.elpd, exact, 0.4);
  EXPECT_GT(loo.effective, 1.0);
}

// Leaving out one row and fitting again is what leave-one-out stands for.
TEST(LeaveOneOut, EqualsFittingWithoutTheRow) {
  const RegressionTarget target = problem("poisson", 40, 2, 9);
  const RegressionOptimum all = exact_optimum(target);
  const LeaveOneOut loo = leave_one_out(target, {all.mean, all.covariance}, 1);
  double exact = 0.0;
  for (Index left = 0; left < 40; ++left) {
    std::vector<Index> rows;
    for (Index i = 0; i < 40; ++i)
      if (i != left) rows.push_back(i);
    const RegressionTarget without(target.design()(rows, Eigen::all),
                                   target.outcomes().subset(rows), likelihood("poisson"),
                                   target.priors());
    const RegressionOptimum q = exact_optimum(without);
    const Matrix draws = posterior_draws({q.mean, q.covariance}, 4000, 2);
    double sum = 0.0;
    for (Index s = 0; s < draws.rows(); ++s) {
      const double eta = target.design().row(left).dot(draws.row(s));
      sum += std::exp(target.likelihood().log_p(target.outcomes().y(left), 1.0, &eta, nullptr));
    }
    exact += std::log(sum / double(draws.rows()));
  }
  // Noise of 1,000 and 4,000 draws: some hundredths of a nat over 40 rows; the standard error over rows is 3.
  EXPECT_NEAR(loo.elpd, exact, 0.15);
  EXPECT_EQ(loo.rows, 40);
  EXPECT_GT(loo.effective, 0.5);
  EXPECT_LT(loo.effective, 4.0);
}

TEST(PredictiveChecks, SeeThatCountsAreOverdispersed) {
  const auto nb = likelihood("negative-binomial");
  Matrix X = toy::random_matrix(400, 2, 7);
  X.col(1).setOnes();
  const Vector psi = Vector::Constant(1, -0.5);
  const Outcomes o = drawn(*nb, X * Vector{{0.4, 1.5}}, psi, 3);
  RegressionPriors priors;
  priors.coefficients.assign(2, {CoefficientPrior::Family::normal, 0.0, 3.0});
  const auto check = [&](const std::string& name, const std::vector<ScalePrior>& extra) {
    RegressionPriors own = priors;
    own.extra = extra;
    const RegressionTarget target(X, o, likelihood(name), own);
    const RegressionOptimum q = exact_optimum(target);
    for (const PredictiveCheck& one : predictive_checks(target, {q.mean, q.covariance}, 1, {}))
      if (one.name == "standard deviation") return one;
    return PredictiveCheck{};
  };
  const PredictiveCheck poisson = check("poisson", {}),
                        right = check("negative-binomial", nb->extra_priors(1.0));
  EXPECT_GT(poisson.observed, poisson.high);
  EXPECT_LT(right.observed, right.high);
  EXPECT_GT(right.observed, right.low);
}

// The marginal effect of a logistic regression, by its definition: differences of predicted means.
TEST(MarginalEffects, AreMeanDerivatives) {
  RegressionSettings s;
  const auto fit = fitted(data_of(some_columns("logistic", 400)), s);
  Columns up = some_columns("logistic", 400), down = up;
  constexpr double h = 0.01;
  up.all[0].numbers.array() += h;
  down.all[0].numbers.array() -= h;
  const double slope = (fit->predict(table_of_columns(up), "", false).values.col(0) -
                        fit->predict(table_of_columns(down), "", false).values.col(0))
                           .mean() /
                       (2 * h);
  // 1,000 draws: five standard errors.
  EXPECT_NEAR(fit->effects()[0].mean, slope, 5.0 * fit->effects()[0].sd / std::sqrt(1000.0));
  EXPECT_EQ(fit->effects()[0].name, "x");
}

TEST(Predictive, EqualsDrawsForEveryLink) {
  const GaussianPoint q{Vector{{0.3, -0.4}}, Matrix{{0.5, 0.1}, {0.1, 0.3}}};
  const Matrix X{{1.0, 2.0}, {-0.5, 1.0}}, draws = posterior_draws(q, 200000, 1);
  for (const Link link : {Link::logit, Link::probit, Link::cloglog, Link::log, Link::identity}) {
    const Matrix out = predictive(X, q, link, Vector{{0.1, 0.2}});
    for (Index i = 0; i < 2; ++i) {
      const Vector y =
          ((draws * X.row(i).transpose()).array() + (i == 0 ? 0.1 : 0.2)).unaryExpr([&](double x) {
            return inverse_link(link, x);
          });
      const double sd = std::sqrt((y.array() - y.mean()).square().mean());
      EXPECT_NEAR(out(i, 0), y.mean(), 5.0 * sd / std::sqrt(2e5)) << int(link);
      EXPECT_NEAR(out(i, 1), sd, 0.05 * sd) << int(link);
      EXPECT_LT(out(i, 2), out(i, 3));
    }
  }
}

TEST(RegressionFit, SaysInASentenceWhatIsWrong) {
  RegressionSettings s;
  s.likelihood = "poisson";
  Columns columns = some_columns("poisson", 30);
  columns.all[3].numbers(4) = -1.0;
  expect_throws<FileError>(
      [&] { fitted(data_of(columns), s); },
      "row 5, column 'y': the outcome is -1, but for the likelihood poisson it must be");
  s.trials = "x";
  expect_misuse([&] { fitted(data_of(some_columns("poisson", 30)), s); },
                "--trials is for logistic");
  RegressionSettings words;
  words.likelihood = "gaussian";
  Columns texts = some_columns("poisson", 30);
  texts.all[3] = levels("y", {"no", "yes"});
  for (Index i = 0; i < 30; ++i) texts.all[3].codes.push_back(std::int32_t(i % 2));
  expect_throws<FileError>([&] { fitted(data_of(texts), words); }, "holds words");
  RegressionSettings minibatch;
  minibatch.minibatch = 10;
  expect_misuse([&] { make_run(problem("logistic", 30, 2, 1), minibatch); }, "say --method ngd");
}

// Classes that a program has numbered, without a column of them.
TEST(RegressionFit, TakesClassesThatAreNumbered) {
  Columns columns = some_columns("logistic", 60);
  const Vector y = columns.all[3].numbers;
  columns.all.pop_back();
  columns.label.clear();
  FitData data = data_of(columns);
  for (const double one : y) data.codes.push_back(int(one));
  data.classes = {"zebra", "ant"};  // in this order, whatever the alphabet says
  const auto fit = fitted(std::move(data), RegressionSettings());
  EXPECT_EQ(fit->classes, (std::vector<std::string>{"zebra", "ant"}));
  EXPECT_EQ(fit->target->outcomes().y, y);
}

// Terms that explain the outcomes perfectly leave no error to describe.
TEST(RegressionFit, SaysThatOutcomesAreExplainedPerfectly) {
  for (const char* name : {"gaussian", "student-t"}) {
    RegressionSettings s;
    s.likelihood = name;
    s.iterations = 60;
    Columns columns = some_columns("gaussian", 30);
    columns.all[3].numbers = 2.0 * columns.all[0].numbers.array() + 1.0;
    const auto fit = fitted(data_of(columns), s);
    EXPECT_NE(fit->summary.status, Status::converged) << name;
    ASSERT_FALSE(fit->warnings.empty()) << name;
    EXPECT_NE(fit->warnings.back().find("explain the outcomes perfectly"), std::string::npos);
  }
}

// Nothing but zeros and a flat prior: the posterior has no Gaussian, and that is said.
TEST(RegressionFit, SaysWhereThereIsNoUsableGaussian) {
  RegressionSettings s;
  s.likelihood = "poisson";
  Columns columns = some_columns("poisson", 40);
  columns.all[3].numbers.setZero();
  EXPECT_EQ(fitted(data_of(columns), s)->summary.status, Status::converged);
  s.prior = "(intercept)=flat";
  const auto fit = fitted(data_of(columns), s);
  ASSERT_FALSE(fit->warnings.empty());
  EXPECT_NE(fit->warnings.back().find("'(intercept)' has a flat prior"), std::string::npos);
}

}  // namespace
}  // namespace fisherman::fit_regression_test
