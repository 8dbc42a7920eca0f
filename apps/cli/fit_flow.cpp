// fisherman fit flow: from a file to the posterior of a neural network, approximated by a flow.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>

#include "draws_csv.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/flow.hpp"
#include "fisherman/fit/logistic.hpp"
#include "fisherman/fit/units.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/model/pareto.hpp"
#include "fit.hpp"
#include "report.hpp"

namespace fisherman::cli {
namespace {

struct FitFlow : FitCommand {
  FlowSettings settings;
  std::int64_t draws = 0;
  Units units = Units::own;

  int run();

 private:
  template <class T>
  int fit(const T& target, const std::vector<std::string>& names, const Preparation& preparation,
          Json model, const Table& table);
};

template <class T>
int FitFlow::fit(const T& target, const std::vector<std::string>& names,
                 const Preparation& preparation, Json model, const Table& table) {
  const std::unique_ptr<RunFolder> folder = this->folder(config_of(table));
  const auto [end, frame, error, khat] =
      fit_flow(target, settings, [&](ErasedRun& run) { return drive(run, folder.get()); });
  const auto seed = std::uint64_t(settings.seed);
  Json result = as_json(end);
  result["family"] = name(settings.family);
  result["objective_error"] = error;
  result["weights"] = target.dimension();
  result["coordinates"] = frame.dimension();
  result["khat"] = std::isnan(khat) ? Json() : Json(khat);
  result["khat_verdict"] = pareto_verdict(khat);
  if (folder) {
    model["names"] = names;
    Options of_settings;  // and not what else this command puts out
    settings.describe(of_settings);
    model["options"] = as_json(of_settings);
    model["weights"] = target.dimension();
    model["state"] = numbers(frame.state());
    folder->write("model.json", model);
    if (draws > 0) {
      const FlowDraws out_draws = flow_draws(settings, target.dimension(), frame, draws, seed);
      const Vector log_p = log_densities(target, out_draws.betas);
      const FlowCoefficients of_draws =
          flow_coefficients_in(units, settings, out_draws.betas, names, preparation);
      folder->write("draws.csv", draws_csv("flow", units, of_draws.names,
                                           of_draws.betas.transpose(), log_p, out_draws.log_q));
    }
    folder->write("result.json", result);
    folder->finish();
    if (!no_report) leave_report(out);
  }
  if (json)
    std::cout << result.dump(2) << '\n';
  else
    std::cout << end.sentence << "\nFamily " << name(settings.family)
              << (settings.family == VariationalFamily::gaussian
                      ? ", which has no layers (--family has flows)"
                      : "")
              << "\nNELBO " << std::fixed << std::setprecision(3) << end.objective
              << " nats, give or take " << error << ", after " << end.iterations << " iterations, "
              << std::setprecision(2) << end.seconds << " s\nPareto k " << khat << ", "
              << result["khat_verdict"].get<std::string>() << '\n';
  return exit_code(end, settings.iterations);
}

int FitFlow::run() {
  apply();
  require(draws == 0 || !out.empty() || !config.empty(),
          "--draws needs --out, the folder for draws.csv");
  const LogisticSettings about_columns = settings.columns();
  set_threads(int(settings.threads));
  Table table = read();
  const auto [y, classes] = binary_labels(table.labels, labels.empty() ? data : labels);
  const Preparation preparation = Preparation::of(table.x, table.names, about_columns);
  for (const std::string& warning : preparation.warnings) say("warning: " + warning);
  Json model;
  model["model"] = "flow";
  model["columns"] = table.names;
  model["label"] = table.label_name;
  model["classes"] = classes;
  model["intercept"] = preparation.intercept;
  model["shift"] = numbers(preparation.shift);
  model["scale"] = numbers(preparation.scale);
  Matrix design = preparation.design(std::move(table.x));
  if (settings.begins_at_gaussian())
    say("A Gaussian is fitted first, to begin at; --initial zero does without it.");
  if (settings.target == FlowTarget::logistic)
    return fit(LogisticTarget(std::move(design), y,
                              prior_variances(about_columns, Index(table.names.size()))),
               preparation.names, preparation, model, table);
  const NeuralTarget target(design, y, settings.network());
  return fit(target, target.names(preparation.names), preparation, model, table);
}

}  // namespace

void add_fit_flow(CLI::App& fit, int& exit_code) {
  auto self = std::make_shared<FitFlow>();
  CLI::App* const command = fit.add_subcommand(
      "flow", "a Bayesian neural network, its posterior approximated by a Gaussian or a flow");
  self->kind = command->get_name();
  Options& o = self->options;
  self->settings.describe(o);
  o.add("draws", self->draws, "number of draws of the weights in draws.csv (needs --out)");
  describe_units(o, self->units, "units of the weights in draws.csv");
  self->add_to(*command);
  command->footer(
      "Example:\n  fisherman fit flow --data german.csv --out german-run --draws 1000\n"
      "  fisherman predict --run german-run --data new.csv");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
