// fisherman fit regression: from rows to a fitted Gaussian posterior, and the kinds of fit that this is.
#include "fitted.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "../binary_score.hpp"
#include "../kinds.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/prior_words.hpp"
#include "fisherman/model/pareto.hpp"
#include "page.hpp"

namespace fisherman {
namespace {

constexpr Index effect_draws = 1000;

/// One for each parameter, in their order.
std::vector<std::string> words_of(const RegressionPriors& priors) {
  std::vector<std::string> out;
  for (const CoefficientPrior& prior : priors.coefficients) out.push_back(words(prior));
  for (std::size_t e = 0; e < priors.effects.size(); ++e) {
    const GroupEffects& effects = priors.effects[e];
    for (Index j = effects.first; j < effects.first + effects.count; ++j)
      out[std::size_t(j)] = "normal(0,sd)";
    out.push_back(words(effects.prior));
  }
  for (const ScalePrior& prior : priors.extra) out.push_back(words(prior));
  return out;
}

/// Why a fit that did not converge has no usable Gaussian, where that can be told.
std::string no_gaussian(const RegressionTarget& target, const GaussianPoint& q,
                        const std::vector<std::string>& names) {
  for (Index j = 0; j < target.coefficients(); ++j) {
    const bool flat =
        target.priors().coefficients[std::size_t(j)].family == CoefficientPrior::Family::flat;
    constexpr double far = 8.0;  // linear predictors beyond this say "never" or "always"
    if (flat && !(std::abs(q.mean(j)) < far && q.sd(j) < far))
      return sentence(
          "The posterior has no usable Gaussian: '", names[std::size_t(j)],
          "' has a flat prior, and the data do not bound it. A prior such as normal(0,10) does.");
  }
  const std::vector<ExtraParameter> extra = target.likelihood().extra();
  const Vector y = target.sample(20000).outcomes().y;
  const double spread = std::sqrt((y.array() - y.mean()).square().mean());
  if (target.likelihood().link() == Link::identity &&
      q.mean(target.coefficients() + target.effects()) < std::log(1e-4 * spread))
    return sentence(
        "The posterior has no usable Gaussian: the terms explain the outcomes perfectly, and ",
        extra[0].name, " is practically 0.");
  return {};
}

/// The labels of rows, wherever they are; none if there are none.
std::vector<std::string> labels_in(const Table& rows, const std::string& label) {
  if (!rows.mixed) return rows.labels;
  std::vector<std::string> out;
  if (const Column* const column = rows.mixed->find(label); column != nullptr)
    for (Index i = 0; i < column->rows(); ++i) out.push_back(column->text(i));
  return out;
}

}  // namespace

double RegressionFitted::Positive::mean() const {
  return std::exp(log_mean + 0.5 * log_sd * log_sd);
}
double RegressionFitted::Positive::sd() const {
  return mean() * std::sqrt(std::expm1(log_sd * log_sd));
}
double RegressionFitted::Positive::quantile(double z) const {
  return std::exp(log_mean + z * log_sd);
}

std::unique_ptr<Fitted> RegressionFitted::fit(FitData data, const RegressionSettings& s,
                                              const std::string& kind_name, Driver& driver) {
  set_threads(int(s.threads));
  auto out = std::make_unique<RegressionFitted>();
  out->kind = kind_name;
  out->label = data.table.label_name;
  RegressionProblem problem = regression_problem(std::move(data), s);
  out->plan = std::move(problem.plan);
  out->likelihood = std::move(problem.likelihood);
  out->classes = std::move(problem.classes);
  out->target = std::move(problem.target);
  out->columns = out->plan.needed();
  out->welcome = out->plan.welcome();
  out->warnings = out->plan.warnings;
  for (const std::string& note : out->plan.notes) driver.say(note);
  for (const std::string& warning : out->warnings) driver.warn(warning);
  out->priors = words_of(out->target->priors());
  RegressionFit fit =
      fit_regression(*out->target, s, [&](ErasedRun& run) { return driver.drive(run); });
  out->summary = std::move(fit.end);
  out->as_asked = out->summary.as_asked(s.iterations);
  out->q = std::move(fit.q);
  out->seed = std::uint64_t(s.seed);
  out->ratios = posterior_check(*out->target, out->q, out->seed);
  if (out->summary.status != Status::converged)
    if (const std::string why = no_gaussian(*out->target, out->q, out->names(Units::standardized));
        !why.empty())
      driver.warn(out->warnings.emplace_back(why));
  if (const auto finer = out->likelihood->finer(); finer && out->q.covariance.allFinite())
    out->expectation_error =
        std::abs(out->target->with(finer).expected(out->q.mean, out->q.covariance) -
                 out->target->expected(out->q.mean, out->q.covariance));
  return out;
}

const LeaveOneOut& RegressionFitted::loo() const {
  if (!loo_)
    loo_ = target && q.covariance.allFinite() ? leave_one_out(*target, q, seed) : LeaveOneOut();
  return *loo_;
}

const std::vector<PredictiveCheck>& RegressionFitted::checks() const {
  if (!checks_)
    checks_ =
        target ? predictive_checks(*target, q, seed, classes) : std::vector<PredictiveCheck>();
  return *checks_;
}

const std::vector<MarginalEffect>& RegressionFitted::effects() const {
  if (effects_) return *effects_;
  effects_.emplace();
  if (!target) return *effects_;
  const Matrix thetas = posterior_draws(q, effect_draws, seed);
  const Matrix own = in_own_units(thetas.leftCols(coefficient_count()).transpose()).transpose();
  const std::vector<std::string> terms(plan.names.begin(), plan.names.begin() + plan.terms);
  effects_ = several_classes() ? class_effects(*target, thetas, own, terms, classes)
                               : marginal_effects(*target, thetas, own, terms);
  return *effects_;
}

GaussianPoint RegressionFitted::coefficients(Units units) const {
  const Index p = coefficient_count();
  GaussianPoint out{q.mean.head(p), q.covariance.topLeftCorner(p, p)};
  if (units == Units::standardized) return out;
  // With A the linear map, AΣAᵀ = A(AΣ)ᵀ.
  const Matrix half = in_own_units(out.covariance), covariance = in_own_units(half.transpose());
  return {in_own_units(out.mean), 0.5 * (covariance + covariance.transpose())};
}

Matrix RegressionFitted::in_own_units(const Matrix& betas) const {
  const auto p = Index(plan.names.size()), own = Index(plan.own_names().size());
  const Index m = likelihood->predictors();
  Matrix out(m * own, betas.cols());
  for (Index k = 0; k < m; ++k)
    out.middleRows(k * own, own) = plan.in_own_units(Matrix(betas.middleRows(k * p, p)));
  return out;
}

std::vector<std::string> RegressionFitted::names(Units units) const {
  const std::vector<std::string> each =
      units == Units::standardized ? plan.names : plan.own_names();
  if (!several_classes()) return each;
  std::vector<std::string> out;
  for (std::size_t k = 1; k < classes.size(); ++k)
    for (const std::string& name : each) out.push_back(classes[k] + ": " + name);
  return out;
}

bool RegressionFitted::of_term(Index k, Units units) const {
  const auto each = Index((units == Units::standardized ? plan.names : plan.own_names()).size());
  return k % each < plan.terms;
}

std::vector<RegressionFitted::Positive> RegressionFitted::positives(Units units) const {
  std::vector<Positive> out;
  Index k = coefficient_count();
  for (const DesignPlan::Effects& e : plan.effects) {
    const double scale = units == Units::own ? std::log(e.scale) : 0.0;
    out.push_back({"sd(" + e.name + ")", q.mean(k) - scale, q.sd(k)});
    ++k;
  }
  for (const ExtraParameter& parameter : likelihood->extra()) {
    out.push_back({parameter.name, q.mean(k), q.sd(k)});
    ++k;
  }
  return out;
}

std::string RegressionFitted::ratio_name() const {
  return likelihood->link() == Link::logit || several_classes() ? "odds ratio"
         : likelihood->link() == Link::log                      ? "ratio of means"
                                                                : "";
}

Fields RegressionFitted::result() const {
  Fields out = fields_of(summary);
  out.set("likelihood", likelihood->name());
  out.set("khat", ratios.k);
  out.set("khat_verdict", ratios.verdict());
  out.set("ratio_variation", ratios.variation);
  if (likelihood->finer()) out.set("expectation_error", expectation_error);
  if (target || loo_) out.set("loo", loo().fields());
  return out;
}

Fields RegressionFitted::model() const {
  Fields out;
  out.set("model", kind);
  out.set("likelihood", likelihood->name());
  out.set("seed", std::int64_t(seed));
  out.set("label", label);
  out.set("classes", classes);
  out.set("design", plan.saved());
  out.set("priors", priors);
  out.set("units", units_name(Units::standardized));  // predictions are made with these
  out.set("mean", q.mean);
  out.set("covariance", Vector(as_vector(q.covariance)));
  if (target || loo_) out.set("loo_densities", loo().pointwise);  // by which fits are compared
  return out;
}

std::unique_ptr<Fitted> RegressionFitted::load(const SavedFit& saved) {
  const Fields& model = saved.model;
  auto out = std::make_unique<RegressionFitted>();
  out->kind = model.need_text("model");
  require(model.has("design"), "it was made by a version before 0.2; fit again");
  out->seed = std::uint64_t(model.need_count("seed"));
  out->label = model.need_text("label");
  out->classes = model.need_texts("classes");
  out->likelihood = fisherman::likelihood(model.need_text("likelihood"),
                                          std::max<Index>(2, Index(out->classes.size())));
  out->plan = DesignPlan::loaded(model.need_fields("design"));
  out->columns = out->plan.needed();
  out->welcome = out->plan.welcome();
  out->priors = model.need_texts("priors");
  out->q.mean = model.need_vector("mean");
  const Vector covariance = model.need_vector("covariance");
  const Index d = out->q.mean.size();
  require(covariance.size() == d * d &&
              d == out->coefficient_count() + Index(out->plan.effects.size()) +
                       Index(out->likelihood->extra().size()) &&
              Index(out->priors.size()) == d &&
              (out->several_classes() ? out->classes.size() >= 2
                                      : out->classes.empty() || out->classes.size() == 2),
          "its sizes do not go together");
  out->q.covariance = as_matrix(covariance.data(), d, d);
  out->ratios = {saved.result.number("khat"), saved.result.number("ratio_variation")};
  out->expectation_error = saved.result.number("expectation_error");
  if (saved.result.has("loo")) {
    const Fields loo = saved.result.need_fields("loo");
    out->loo_.emplace();
    out->loo_->elpd = loo.number("elpd");
    out->loo_->error = loo.number("standard_error");
    out->loo_->effective = loo.number("effective_parameters");
    out->loo_->largest_k = loo.number("largest_khat");
    out->loo_->rows = loo.need_count("rows");
    out->loo_->doubtful = loo.need_count("rows_in_doubt");
    out->loo_->all_rows = loo.need_count("all_rows");
    out->loo_->correction = {loo.number("correction_khat"), loo.number("correction_variation")};
    out->loo_->pointwise = model.need_vector("loo_densities");
  }
  return out;
}

Fields RegressionFitted::parameters() const {
  Fields out;
  out.set("likelihood", likelihood->name());
  std::vector<std::string> all = names(Units::standardized);
  for (const Positive& one : positives(Units::own)) all.push_back("log " + one.name);
  out.set("parameter_names", all);
  out.set("parameter_mean", q.mean);
  out.set("parameter_covariance", q.covariance);
  out.set("names", names(Units::standardized));
  const GaussianPoint standardized = coefficients(Units::standardized),
                      own = coefficients(Units::own);
  out.set("mean", standardized.mean);
  out.set("covariance", standardized.covariance);
  out.set("own_names", names(Units::own));
  out.set("own_mean", own.mean);
  out.set("own_covariance", own.covariance);
  // One row for each linear predictor.
  const std::vector<std::string> own_names = plan.own_names();
  const auto each = Index(own_names.size());
  const Eigen::Map<const Matrix> by_predictor(own.mean.data(), each, likelihood->predictors());
  out.set("coef", Matrix(by_predictor.topRows(plan.terms).transpose()));
  Vector constants = Vector::Zero(by_predictor.cols());
  for (Index j = plan.terms; j < each; ++j)
    if (const std::string& name = own_names[std::size_t(j)];
        name == "(intercept)" || name == "(constant)")
      constants = by_predictor.row(j);
  out.set("intercept", constants);
  std::vector<Fields> scales;
  for (const Positive& one : positives(Units::own)) {
    Fields& row = scales.emplace_back();
    row.set("name", one.name);
    row.set("mean", one.mean());
    row.set("sd", one.sd());
    row.set("q5", one.quantile(-ninety_percent));
    row.set("q95", one.quantile(ninety_percent));
  }
  out.set("scale_parameters", scales);
  out.set("priors", priors);
  out.set("feature_shift", plan.shift);
  out.set("feature_scale", plan.scale);
  out.set("elbo", -summary.objective);
  out.set("khat", ratios.k);
  out.set("khat_verdict", ratios.verdict());
  out.set("ratio_variation", ratios.variation);
  if (several_classes()) out.set("class_names", classes);
  if (likelihood->finer()) out.set("expectation_error", expectation_error);
  return out;
}

Predictions RegressionFitted::predict(const Table& rows, const std::string& where,
                                      bool /*errors*/) const {
  const Columns given = rows.mixed ? *rows.mixed : columns_of_table(rows);
  const DesignedRows designed = plan.rows(given, where);
  if (several_classes()) return class_predictions(designed);
  // What effects of groups that were not seen add: the mean of τ², which is lognormal.
  Vector more;
  if (designed.unseen.size() > 0) {
    more = Vector::Zero(designed.x.rows());
    for (Index e = 0; e < designed.unseen.cols(); ++e) {
      const Index k = coefficient_count() + e;
      more += std::exp(2.0 * q.mean(k) + 2.0 * q.covariance(k, k)) * designed.unseen.col(e);
    }
  }
  Predictions out;
  out.columns = {likelihood->binary() ? "probability" : "mean", "sd", "q5", "q95"};
  out.values = predictive(designed.x, q, likelihood->link(), designed.offset, more);
  return out;
}

Predictions RegressionFitted::class_predictions(const DesignedRows& rows) const {
  const ClassProbabilities p = class_probabilities(rows.x, q, likelihood->predictors());
  Predictions out;
  for (const char* what : {"p_", "sd_"})
    for (const std::string& name : classes) out.columns.push_back(what + name);
  out.values.resize(rows.x.rows(), 2 * p.mean.cols());
  out.values << p.mean, p.deviation;
  for (Index i = 0; i < p.mean.rows(); ++i) {
    Index likeliest;
    p.mean.row(i).maxCoeff(&likeliest);
    out.classes.push_back(classes[std::size_t(likeliest)]);
  }
  return out;
}

Fields RegressionFitted::score(const Table& rows, const Predictions& predictions,
                               const std::string& where, const std::string& labels_where) const {
  if (several_classes())
    return class_score(predictions.values.leftCols(Index(classes.size())), labels_in(rows, label),
                       classes, labels_where);
  const auto mean = predictions.values.col(0);
  if (!classes.empty())
    return binary_score(mean, labels_in(rows, label), {classes[0], classes[1]}, labels_where);
  Fields out;
  out.set("rows", mean.size());
  const Columns given = rows.mixed ? *rows.mixed : columns_of_table(rows);
  const Column* const column = given.find(label);
  if (column == nullptr || column->is_words() || column->missing() > 0) return out;
  const DesignedRows designed = plan.rows(given, where);
  Vector share = column->numbers;
  if (designed.trials.size() > 0) share = share.cwiseQuotient(designed.trials);
  out.set("root_mean_square_error", std::sqrt((share - mean).squaredNorm() / double(mean.size())));
  out.set("mean_absolute_error", (share - mean).cwiseAbs().mean());
  return out;
}

FittedDraws RegressionFitted::draws(Index count, std::uint64_t from_seed, Units units) const {
  const Matrix thetas = posterior_draws(q, count, from_seed);
  FittedDraws out{names(units), {}, {}, log_density(q, thetas)};
  if (target) out.log_p = log_densities(*target, thetas.transpose());
  const Index p = coefficient_count(), scales = thetas.cols() - p;
  const Matrix betas = thetas.leftCols(p);
  const Matrix told =
      units == Units::standardized ? betas : Matrix(in_own_units(betas.transpose()).transpose());
  out.values.resize(count, told.cols() + scales);
  out.values.leftCols(told.cols()) = told;
  const std::vector<Positive> positive = positives(units);
  for (Index k = 0; k < scales; ++k) {
    const double shift = positive[std::size_t(k)].log_mean - q.mean(p + k);
    out.values.col(told.cols() + k) = (thetas.col(p + k).array() + shift).exp();
    out.names.push_back(positive[std::size_t(k)].name);
  }
  return out;
}

namespace {

template <class Settings>
std::unique_ptr<Fitted> fit_kind_of(FitData data, const FitSettings& settings, Driver& driver) {
  return RegressionFitted::fit(std::move(data), settings_as<Settings>(settings), Settings::kind,
                               driver);
}

template <class Settings>
FitKind kind_of(std::string help, std::string examples) {
  return {.name = Settings::kind,
          .help = std::move(help),
          .examples = std::move(examples),
          .objective = "NELBO, nats",
          .has_draws = true,
          .takes_parts = true,
          .takes_stored = true,
          .takes_columns = true,
          .files = {"coefficients.csv", "covariance.csv", "ratios.csv", "effects.csv",
                    "parameters.csv", "marginal_effects.csv", "draws.csv"},
          .settings = new_settings<Settings>,
          .fit = fit_kind_of<Settings>,
          .load = RegressionFitted::load,
          .page = regression_report::page,
          .reference_method = "exact",
          .problem_options = {"terms", "reference", "weights", "offset", "trials", "group",
                              "missing", "prior-variance", "intercept", "intercept-variance",
                              "prior", "prior-units", "sd-prior", "no-standardize"},
          .grid = "step-size=0.0001,0.001,0.01,0.1; decay=0,0.3,0.5,0.7,0.9",
          .grid_of_scores = "epsilon=100,250,500,1000,2500",
          .learns_fisher = [](const FitSettings& s) {
            return settings_as<Settings>(s).learns_fisher();
          }};
}

}  // namespace

FitKind regression_kind() {
  FitKind out = kind_of<RegressionSettings>(
      "Bayesian regression with any likelihood, its posterior approximated by a Gaussian",
      "fisherman fit regression --data births.csv --label weight --likelihood gaussian --out "
      "births\n"
      "fisherman fit regression --data visits.csv --label visits --likelihood negative-binomial "
      "--group doctor\n"
      "fisherman predict --run births --data new.csv");
  out.problem_options.emplace_back("likelihood");
  return out;
}

FitKind logistic_kind() {
  return kind_of<LogisticSettings>(
      "Bayesian logistic regression: fit regression --likelihood logistic",
      "fisherman fit logistic --data wdbc.csv --out wdbc-run\n"
      "fisherman predict --run wdbc-run --data new.csv");
}

}  // namespace fisherman
