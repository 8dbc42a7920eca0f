// fisherman fit logistic: from rows to a fitted Gaussian posterior, and the kind of fit that this is.
#include "fitted.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "../csv_table.hpp"
#include "../kinds.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/draws_csv.hpp"
#include "page.hpp"

namespace fisherman {
namespace {

double sd_of(const Coefficients& c, Index k) {
  return std::sqrt(std::max(0.0, c.q.covariance(k, k)));
}

std::string coefficients_csv(const Coefficients& c, Units units) {
  std::ostringstream text;
  text << std::setprecision(17) << "name,mean,sd,q5,q95,units\n";
  for (Index k = 0; k < c.q.mean.size(); ++k) {
    const double mean = c.q.mean(k), reach = ninety_percent * sd_of(c, k);
    text << csv_field(c.names[std::size_t(k)]) << ',' << mean << ',' << sd_of(c, k) << ','
         << mean - reach << ',' << mean + reach << ',' << units_name(units) << '\n';
  }
  return text.str();
}

void add_table(std::ostream& out, const Coefficients& c, Units units) {
  std::size_t width = 4;
  for (const auto& name : c.names) width = std::max(width, std::min<std::size_t>(name.size(), 32));
  out << "Coefficients in " << units_words(units) << "\n\n"
      << std::left << std::setw(int(width)) << "name" << std::right;
  for (const char* head : {"mean", "sd", "5%", "95%"}) out << std::setw(12) << head;
  // Columns of any size: digits that count, not digits after the point.
  out << '\n' << std::setprecision(4);
  for (Index k = 0; k < c.q.mean.size(); ++k) {
    const double mean = c.q.mean(k), reach = ninety_percent * sd_of(c, k);
    out << std::left << std::setw(int(width)) << c.names[std::size_t(k)].substr(0, 32)
        << std::right;
    for (const double x : {mean, sd_of(c, k), mean - reach, mean + reach})
      out << std::setw(12) << x;
    out << '\n';
  }
}

}  // namespace

std::unique_ptr<Fitted> LogisticFitted::fit(FitData data, const FitSettings& settings,
                                            Driver& driver) {
  const auto& s = settings_as<LogisticSettings>(settings);
  set_threads(int(s.threads));
  auto out = std::make_unique<LogisticFitted>();
  auto [y, classes] = data.binary_labels();
  out->take(data, Preparation::of(data.table.x, data.table.names, s), std::move(classes));
  for (const std::string& warning : out->warnings) driver.warn(warning);
  const Vector prior = prior_variances(s, data.table.x.cols());
  out->target = std::make_shared<const LogisticTarget>(
      out->preparation.design(std::move(data.table.x)), y, prior);
  LogisticFit fit =
      fit_logistic(*out->target, s, [&](ErasedRun& run) { return driver.drive(run); });
  out->summary = std::move(fit.end);
  out->as_asked = out->summary.as_asked(s.iterations);
  out->q = std::move(fit.q);
  out->seed = std::uint64_t(s.seed);
  out->khat = posterior_khat(*out->target, out->q, out->seed);
  return out;
}

Fields LogisticFitted::result() const {
  Fields out = fields_of(summary);
  add_khat(out);
  return out;
}

Fields LogisticFitted::model() const {
  Fields out;
  out.set("model", "logistic");
  out.set("names", preparation.names);
  save_columns(out);
  out.set("units", units_name(Units::standardized));  // predictions are made with these
  out.set("mean", q.mean);
  out.set("covariance", Vector(as_vector(q.covariance)));
  return out;
}

std::unique_ptr<Fitted> LogisticFitted::load(const SavedFit& saved) {
  auto out = std::make_unique<LogisticFitted>();
  out->load_columns(saved.model);
  out->preparation.names = saved.model.need_texts("names");
  out->q.mean = saved.model.need_vector("mean");
  const Vector covariance = saved.model.need_vector("covariance");
  const Index d = out->q.mean.size();
  require(covariance.size() == d * d && Index(out->preparation.names.size()) == d &&
              d == Index(out->columns.size()) + (out->preparation.intercept ? 1 : 0),
          "its sizes do not go together");
  out->q.covariance = as_matrix(covariance.data(), d, d);
  out->khat = saved.result.number("khat");
  return out;
}

Fields LogisticFitted::parameters() const {
  Fields out;
  out.set("names", preparation.names);
  out.set("mean", q.mean);
  out.set("covariance", q.covariance);
  const Coefficients own = coefficients_in(Units::own, q, preparation);
  out.set("own_names", own.names);
  out.set("own_mean", own.q.mean);
  out.set("own_covariance", own.q.covariance);
  const auto count = Index(columns.size());
  out.set("coef", Matrix(own.q.mean.head(count).transpose()));
  // Nothing behind them if there is no intercept and nothing was shifted.
  out.set("intercept",
          Vector(own.q.mean.size() > count ? Vector(own.q.mean.tail(1)) : Vector(Vector::Zero(1))));
  add_column_parameters(out);
  return out;
}

std::string LogisticFitted::text(const Output& output) const {
  std::ostringstream out;
  const Coefficients coefficients = coefficients_in(output.units, q, preparation);
  add_table(out, coefficients, output.units);
  if (coefficients.names.size() > preparation.names.size())
    out << "\nThe fit has no intercept; (constant) is what shifting the columns implies.\n";
  out << "\n"
      << summary.sentence << "\nNELBO " << std::fixed << std::setprecision(6) << summary.objective
      << " nats after " << summary.iterations << " iterations, " << std::setprecision(2)
      << summary.seconds << " s\n"
      << khat_words() << '\n';
  return out.str();
}

std::vector<NamedFile> LogisticFitted::tables(const Output& output) const {
  const Coefficients c = coefficients_in(output.units, q, preparation);
  std::vector<NamedFile> out = {
      {"coefficients.csv", coefficients_csv(c, output.units)},
      {"covariance.csv",
       csv_table(sentence("units: ", units_name(output.units)), c.names, c.names, c.q.covariance)}};
  if (output.draws > 0)
    out.push_back({"draws.csv",
                   draws_csv("logistic", output.units, draws(output.draws, seed, output.units))});
  return out;
}

Matrix LogisticFitted::predictive(const Matrix& design) const {
  return fisherman::predictive(design, q);
}

FittedDraws LogisticFitted::draws(Index count, std::uint64_t from_seed, Units units) const {
  Matrix betas = posterior_draws(q, count, from_seed);
  FittedDraws out{preparation.names, {}, {}, log_density(q, betas)};
  if (target) out.log_p = log_densities(*target, betas.transpose());
  if (units == Units::standardized) {
    out.values = std::move(betas);
  } else {
    out.names = own_names(preparation);
    out.values = in_own_units(Matrix(betas.transpose()), preparation).transpose();
  }
  return out;
}

FitKind logistic_kind() {
  return {
      .name = "logistic",
      .help = "Bayesian logistic regression, its posterior approximated by a Gaussian",
      .examples =
          "fisherman fit logistic --data wdbc.csv --out wdbc-run\n"
          "fisherman predict --run wdbc-run --data new.csv",
      .objective = "NELBO, nats",
      .has_draws = true,
      .files = {"coefficients.csv", "covariance.csv", "draws.csv"},
      .settings = new_settings<LogisticSettings>,
      .fit = LogisticFitted::fit,
      .load = LogisticFitted::load,
      .page = logistic_report::page,
      .reference_method = "exact",
      .problem_options = {"prior-variance", "intercept", "intercept-variance", "no-standardize"},
      .grid = "step-size=0.0001,0.001,0.01,0.1; decay=0,0.3,0.5,0.7,0.9",
      .grid_of_scores = "epsilon=100,250,500,1000,2500",
      .learns_fisher = [](const FitSettings& s) {
        return settings_as<LogisticSettings>(s).learns_fisher();
      }};
}

}  // namespace fisherman
