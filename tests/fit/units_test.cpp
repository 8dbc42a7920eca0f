#include "fisherman/fit/units.hpp"

#include "fisherman/fit/regression.hpp"

#include "expect_laws.hpp"
#include "fisherman/fit/flow.hpp"
#include "toy.hpp"

namespace fisherman::fit_units_test {
namespace {

Matrix table(Index rows, Index columns) {
  Matrix x = toy::random_matrix(rows, columns, 31);
  for (Index j = 0; j < columns; ++j)
    x.col(j) = (std::pow(10.0, double(j) - 1.0) * x.col(j)).array() + 3.0 * double(j + 1);
  return x;
}

ColumnSettings with_intercept(bool intercept, bool no_standardize = false) {
  ColumnSettings settings;
  settings.intercept = intercept;
  settings.no_standardize = no_standardize;
  return settings;
}

/// The rows as they were given, with a column of ones if there is a constant among the names.
Matrix own_design(const Matrix& x, const Preparation& p) {
  Matrix out(x.rows(), Index(own_names(p).size()));
  out.leftCols(x.cols()) = x;
  if (out.cols() > x.cols()) out.rightCols(1).setOnes();
  return out;
}

// In whichever units: the same rows have the same linear predictors.
TEST(OwnUnits, LeaveTheLinearPredictorAsItIs) {
  const Matrix x = table(40, 3);
  for (const bool intercept : {true, false})
    for (const bool plain : {true, false}) {
      const Preparation p = Preparation::of(x, {"a", "b", "c"}, with_intercept(intercept, plain));
      const Matrix design = p.design(x);
      const Matrix betas = toy::random_matrix(design.cols(), 7, 32);
      const Matrix own = in_own_units(betas, p);
      EXPECT_LT((own_design(x, p) * own - design * betas).norm(), 1e-11) << intercept << plain;
    }
}

// The Gaussian's moments, against those of many of its draws that are moved one by one.
TEST(OwnUnits, OfAGaussianAreThoseOfItsDraws) {
  const Matrix x = table(40, 3);
  for (const bool intercept : {true, false}) {
    const Preparation p = Preparation::of(x, {"a", "b", "c"}, with_intercept(intercept));
    const Index d = intercept ? 4 : 3;
    const GaussianPoint q{toy::random_vector(d, 33), toy::random_spd(d, 34)};
    const GaussianPoint own = in_own_units(q, p);
    ASSERT_EQ(own.mean.size(), 4);
    EXPECT_EQ(own.covariance, own.covariance.transpose());
    const Index count = 200000;
    const Matrix draws = in_own_units(Matrix(posterior_draws(q, count, 5).transpose()), p);
    const Vector mean = draws.rowwise().mean();
    const Matrix centred = draws.colwise() - mean;
    const Matrix covariance = centred * centred.transpose() / double(count);
    const Vector sd = own.covariance.diagonal().cwiseSqrt();
    // Five standard errors; those of a covariance are at most √2·sd·sd/√n.
    EXPECT_LT((mean - own.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(),
              5.0 / std::sqrt(double(count)));
    const Matrix relative = sd.cwiseInverse().asDiagonal() * (covariance - own.covariance) *
                            sd.cwiseInverse().asDiagonal();
    EXPECT_LT(relative.cwiseAbs().maxCoeff(), 5.0 * std::sqrt(2.0 / double(count)));
  }
}

// Columns in other units (grams for kilograms, with another zero) are the same fit, told in those units.
TEST(OwnUnits, FollowTheUnitsOfTheColumns) {
  const Matrix x = table(60, 3);
  Matrix other = x;
  other.col(1) = 1000.0 * x.col(1).array() + 5.0;
  const Vector y =
      toy::random_vector(60, 35).unaryExpr([](double v) { return v > 0.0 ? 1.0 : 0.0; });
  const ColumnSettings settings = with_intercept(true);
  const auto fitted = [&](const Matrix& rows) {
    const Preparation p = Preparation::of(rows, {"a", "b", "c"}, settings);
    const RegressionOptimum best =
        exact_optimum(LogisticTarget(p.design(rows), y, prior_variances(settings, 3)));
    return in_own_units(GaussianPoint{best.mean, best.covariance}, p);
  };
  const GaussianPoint a = fitted(x), b = fitted(other);
  EXPECT_NEAR(1000.0 * b.mean(1), a.mean(1), 1e-6 * std::abs(a.mean(1)));
  EXPECT_NEAR(1e6 * b.covariance(1, 1), a.covariance(1, 1), 1e-6 * a.covariance(1, 1));
  EXPECT_NEAR(b.mean(3) + 5.0 * b.mean(1), a.mean(3), 1e-6 * std::abs(a.mean(3)));
}

TEST(OwnUnits, TellTheConstantThatAShiftImplies) {
  const Matrix x = table(20, 2);
  const auto names = [&](bool intercept, bool plain) {
    return own_names(Preparation::of(x, {"a", "b"}, with_intercept(intercept, plain)));
  };
  EXPECT_EQ(names(true, false), (std::vector<std::string>{"a", "b", "(intercept)"}));
  EXPECT_EQ(names(true, true), (std::vector<std::string>{"a", "b", "(intercept)"}));
  EXPECT_EQ(names(false, false), (std::vector<std::string>{"a", "b", "(constant)"}));
  EXPECT_EQ(names(false, true), (std::vector<std::string>{"a", "b"}));
}

TEST(OwnUnits, OfANetworkLeaveItsPredictorsAsTheyAre) {
  const Matrix x = table(30, 3);
  const Preparation p = Preparation::of(x, {"a", "b", "c"}, with_intercept(false));
  const Index hidden = 4;
  const Matrix betas = toy::random_matrix(hidden * 5 + 1, 6, 36);
  const Matrix own = network_in_own_units(betas, p, hidden);
  const auto predictors = [&](const Matrix& rows, const Matrix& weights) {
    return neural_predictors(rows, weights, hidden, Activation::tanh);
  };
  EXPECT_LT((predictors(x, own) - predictors(p.design(x), betas)).norm(), 1e-11);
}

TEST(OwnUnits, Misuse) {
  const Preparation p = Preparation::of(table(20, 2), {"a", "b"}, with_intercept(true));
  expect_misuse([&] { in_own_units(Matrix::Zero(2, 1), p); }, "2 rows, but must have 3");
  Units units = Units::own;
  Options options;
  describe_units(options, units, "units");
  expect_misuse([&] { options.set("units", "metric"); }, "--units is 'metric'");
  options.set("units", "standardized");
  EXPECT_EQ(units, Units::standardized);
}

// An intercept by default, with a prior of its own.
TEST(ColumnSettings, HaveAnInterceptWithAWeakPrior) {
  ColumnSettings settings;
  Options options;
  settings.describe_columns(options, "coefficient");
  EXPECT_EQ(prior_variances(settings, 2), Vector({{10.0, 10.0, 100.0}}));
  options.set("intercept-variance", "4");
  EXPECT_EQ(prior_variances(settings, 1), Vector({{10.0, 4.0}}));
  options.set("no-intercept", "true");
  EXPECT_EQ(prior_variances(settings, 2), Vector({{10.0, 10.0}}));
  options.set("intercept", "true");
  EXPECT_TRUE(settings.intercept);
  expect_misuse([&] { options.set("no-intercept", "perhaps"); }, "must be true or false");

  FlowSettings flow;
  EXPECT_FALSE(flow.columns().intercept);  // a network has its biases
  flow.target = FlowTarget::logistic;
  EXPECT_TRUE(flow.columns().intercept);
  EXPECT_EQ(prior_variances(flow.columns(), 1), Vector({{1.0, 100.0}}));
  flow.target = FlowTarget::neural;
  flow.intercept = false;
  expect_misuse([&] { flow.columns(); }, "--no-intercept is for --target logistic");
}

// docs/results_flow.md: no flow has reached a lower NELBO than a Gaussian.
TEST(FlowSettings, BeginWithTheFamilyThatMeasuresBest) {
  EXPECT_EQ(FlowSettings().family, VariationalFamily::gaussian);
}

}  // namespace
}  // namespace fisherman::fit_units_test
