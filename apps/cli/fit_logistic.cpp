// fisherman fit logistic: from a file to a fitted Gaussian posterior.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "draws_csv.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/logistic.hpp"
#include "fisherman/fit/units.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/model/pareto.hpp"
#include "fit.hpp"
#include "report.hpp"

namespace fisherman::cli {
namespace {

struct FitLogistic : FitCommand {
  LogisticSettings settings;
  std::int64_t draws = 0;
  Units units = Units::own;

  int run();

 private:
  std::string draws_of(const LogisticTarget& target, const Preparation& preparation,
                       const GaussianPoint& q) const;
};

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

/// A name for each row and each column; the corner tells the units.
std::string covariance_csv(const Coefficients& c, Units units) {
  std::ostringstream text;
  text << std::setprecision(17) << "units: " << units_name(units);
  for (const std::string& name : c.names) text << ',' << csv_field(name);
  text << '\n';
  for (Index i = 0; i < c.q.covariance.rows(); ++i) {
    text << csv_field(c.names[std::size_t(i)]);
    for (Index j = 0; j < c.q.covariance.cols(); ++j) text << ',' << c.q.covariance(i, j);
    text << '\n';
  }
  return text.str();
}

std::string FitLogistic::draws_of(const LogisticTarget& target, const Preparation& preparation,
                                  const GaussianPoint& q) const {
  const Matrix betas = posterior_draws(q, draws, std::uint64_t(settings.seed));
  const Vector log_p = log_densities(target, betas.transpose());
  const Vector log_q = log_density(q, betas);
  if (units == Units::standardized)
    return draws_csv("logistic", Units::standardized, preparation.names, betas, log_p, log_q);
  return draws_csv("logistic", Units::own, own_names(preparation),
                   in_own_units(Matrix(betas.transpose()), preparation).transpose(), log_p, log_q);
}

void print_table(const Coefficients& c, Units units) {
  std::size_t width = 4;
  for (const auto& name : c.names) width = std::max(width, std::min<std::size_t>(name.size(), 32));
  std::cout << "Coefficients in " << units_words(units) << "\n\n"
            << std::left << std::setw(int(width)) << "name" << std::right;
  for (const char* head : {"mean", "sd", "5%", "95%"}) std::cout << std::setw(12) << head;
  // Columns of any size: digits that count, not digits after the point.
  std::cout << '\n' << std::setprecision(4);
  for (Index k = 0; k < c.q.mean.size(); ++k) {
    const double mean = c.q.mean(k), reach = ninety_percent * sd_of(c, k);
    std::cout << std::left << std::setw(int(width)) << c.names[std::size_t(k)].substr(0, 32)
              << std::right;
    for (const double x : {mean, sd_of(c, k), mean - reach, mean + reach})
      std::cout << std::setw(12) << x;
    std::cout << '\n';
  }
}

int FitLogistic::run() {
  apply();
  require(draws == 0 || !out.empty() || !config.empty(),
          "--draws needs --out, the folder for draws.csv");
  require(!resume || settings.method != GaussianMethod::exact,
          "--method exact is done in one go and has nothing to resume");
  set_threads(int(settings.threads));
  Table table = read();
  const auto [y, classes] = binary_labels(table.labels, labels.empty() ? data : labels);
  const Preparation preparation = Preparation::of(table.x, table.names, settings);
  for (const std::string& warning : preparation.warnings) say("warning: " + warning);
  const Vector prior = prior_variances(settings, table.x.cols());
  const LogisticTarget target(preparation.design(std::move(table.x)), y, prior);
  const std::unique_ptr<RunFolder> folder = this->folder(config_of(table));

  const auto [end, q] =
      fit_logistic(target, settings, [&](ErasedRun& run) { return drive(run, folder.get()); });
  const double khat = posterior_khat(target, q, std::uint64_t(settings.seed));
  const Coefficients coefficients = coefficients_in(units, q, preparation);
  Json result = as_json(end);
  result["khat"] = std::isnan(khat) ? Json() : Json(khat);
  result["khat_verdict"] = pareto_verdict(khat);
  if (folder) {
    Json model;
    model["model"] = "logistic";
    model["names"] = preparation.names;
    model["columns"] = table.names;
    model["label"] = table.label_name;
    model["classes"] = classes;
    model["intercept"] = preparation.intercept;
    model["shift"] = numbers(preparation.shift);
    model["scale"] = numbers(preparation.scale);
    model["units"] = units_name(Units::standardized);  // predictions are made with these
    model["mean"] = numbers(q.mean);
    model["covariance"] = numbers(Vector(as_vector(q.covariance)));
    folder->write("model.json", model);
    folder->write("coefficients.csv", coefficients_csv(coefficients, units));
    folder->write("covariance.csv", covariance_csv(coefficients, units));
    if (draws > 0) folder->write("draws.csv", draws_of(target, preparation, q));
    folder->write("result.json", result);
    folder->finish();
  }
  if (json) {
    std::cout << result.dump(2) << '\n';
  } else {
    print_table(coefficients, units);
    if (coefficients.names.size() > preparation.names.size())
      std::cout << "\nThe fit has no intercept; (constant) is what shifting the columns implies.\n";
    std::cout << "\n"
              << end.sentence << "\nNELBO " << std::fixed << std::setprecision(6) << end.objective
              << " nats after " << end.iterations << " iterations, " << std::setprecision(2)
              << end.seconds << " s\nPareto k " << khat << ", "
              << result["khat_verdict"].get<std::string>() << '\n';
  }
  if (folder && !no_report) leave_report(out, target, preparation.warnings);
  return exit_code(end, settings.iterations);
}

}  // namespace

void add_fit_logistic(CLI::App& fit, int& exit_code) {
  auto self = std::make_shared<FitLogistic>();
  CLI::App* const command = fit.add_subcommand(
      "logistic", "Bayesian logistic regression, its posterior approximated by a Gaussian");
  self->kind = command->get_name();
  Options& o = self->options;
  self->settings.describe(o);
  o.add("draws", self->draws, "number of draws of the posterior in draws.csv (needs --out)");
  describe_units(
      o, self->units,
      "units of the coefficients in the table, in coefficients.csv, covariance.csv and draws.csv");
  self->add_to(*command);
  command->footer(
      "Example:\n  fisherman fit logistic --data wdbc.csv --out wdbc-run\n"
      "  fisherman predict --run wdbc-run --data new.csv");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
