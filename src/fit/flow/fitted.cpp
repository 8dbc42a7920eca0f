// fisherman fit flow: from rows to the posterior of a network, approximated by a flow, and the kind of fit that this is.
#include "fitted.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "../kinds.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/row_parts.hpp"
#include "fisherman/fit/draws_csv.hpp"
#include "fisherman/model/design_rows.hpp"

namespace fisherman {
namespace {

/// Every family has a matrix of all weights squared, and Sylvester layers two thin ones each: a lie about the sizes is
/// found before anything is allocated for it.
double least_state(const FlowSettings& settings, Index weights) {
  const double w = double(weights);
  const double layers = settings.family == VariationalFamily::sylvester
                            ? double(settings.layers) * double(settings.rank) * w
                            : 0.0;
  return w * w + layers;
}

Fields option_values(const FlowSettings& settings) {
  FlowSettings copy = settings;
  Options options;
  copy.describe(options);
  Fields out;
  for (const Options::Option& option : options.all()) out.set(option.name, option.text());
  return out;
}

}  // namespace

SpreadRows SpreadRows::from(const TargetRows& rows, const Vector& y) {
  const std::vector<Index> some = spread_rows(rows.count(), most);
  return {rows.count(), rows.chosen(some), collected(y, rows.part(), some)};
}

template <class T>
void FlowFitted::fit_to(T target, Driver& driver) {
  FlowFit found = fit_flow(target, settings, [&](ErasedRun& run) { return driver.drive(run); });
  summary = std::move(found.end);
  as_asked = summary.as_asked(settings.iterations);
  frame = std::move(found.frame);
  objective_error = found.objective_error;
  khat = found.ratios.k;
  log_p = [target = std::move(target)](const Matrix& betas) {
    return log_densities(target, betas);
  };
}

std::unique_ptr<Fitted> FlowFitted::fit(FitData data, const FitSettings& settings, Driver& driver) {
  auto out = std::make_unique<FlowFitted>();
  const FlowSettings& s = out->settings = settings_as<FlowSettings>(settings);
  set_threads(int(s.threads));
  out->seed = std::uint64_t(s.seed);
  auto [y, classes] = data.binary_labels();
  out->take(data, Preparation::of(data.table, s.columns()), std::move(classes));
  for (const std::string& warning : out->warnings) driver.warn(warning);
  if (s.begins_at_gaussian())
    driver.say("A Gaussian is fitted first, to begin at; --initial zero does without it.");
  const TargetRows design = together([&] { return out->preparation.design(data.table); });
  out->seen = SpreadRows::from(design, y);
  if (s.target == FlowTarget::logistic) {
    const Vector prior = prior_variances(s.columns(), Index(out->columns.size()));
    out->fit_to(LogisticTarget(design, y, prior), driver);
    out->names = out->preparation.names;
  } else {
    const NeuralTarget target(design, y, s.network());
    out->fit_to(target, driver);
    out->names = target.names(out->preparation.names);  // after: a refusal needs no names
  }
  return out;
}

Fields FlowFitted::result() const {
  Fields out = fields_of(summary);
  out.set("family", name(settings.family));
  out.set("objective_error", objective_error);
  out.set("weights", weights());
  out.set("coordinates", frame->dimension());
  add_khat(out);
  return out;
}

Fields FlowFitted::model() const {
  Fields out;
  out.set("model", "flow");
  save_columns(out);
  out.set("names", names);
  out.set("options", option_values(settings));
  out.set("weights", weights());
  out.set("state", frame->state());
  return out;
}

std::unique_ptr<Fitted> FlowFitted::load(const SavedFit& saved) {
  auto out = std::make_unique<FlowFitted>();
  out->load_columns(saved.model);
  Options options;
  out->settings.describe(options);
  const Fields values = saved.model.need_fields("options");
  for (const auto& [name, value] : values.all()) options.set(name, values.text(name));
  out->names = saved.model.need_texts("names");
  const Index weights = saved.model.need_count("weights");
  const Vector state = saved.model.need_vector("state");
  const Index inputs = Index(out->columns.size()) + (out->preparation.intercept ? 1 : 0);
  const bool network = out->settings.target == FlowTarget::neural;
  require(weights == out->weights() &&
              weights == (network ? out->settings.hidden * (inputs + 2) + 1 : inputs) &&
              least_state(out->settings, weights) <= double(state.size()),
          "its sizes do not go together");
  out->frame = flow_frame(out->settings, weights, state);  // throws for a state of another size
  if (!network) out->preparation.names = out->names;
  out->objective_error = saved.result.number("objective_error");
  out->khat = saved.result.number("khat");
  return out;
}

Fields FlowFitted::parameters() const {
  Fields out;
  out.set("names", names);
  out.set("own_names", settings.target == FlowTarget::logistic ? own_names(preparation) : names);
  out.set("n_weights", weights());
  out.set("flow_state", frame->state());
  out.set("elbo_error", objective_error);
  add_column_parameters(out);
  return out;
}

std::string FlowFitted::text(const Output& /*output*/) const {
  std::ostringstream out;
  out << summary.sentence << "\nFamily " << name(settings.family)
      << (settings.family == VariationalFamily::gaussian
              ? ", which has no layers (--family has flows)"
              : "")
      << "\nNELBO " << std::fixed << std::setprecision(3) << summary.objective
      << " nats, give or take " << objective_error << ", after " << summary.iterations
      << " iterations, " << std::setprecision(2) << summary.seconds << " s\n"
      << khat_words() << '\n';
  return out.str();
}

std::vector<NamedFile> FlowFitted::tables(const Output& output) const {
  if (output.draws == 0) return {};
  return {{"draws.csv", draws_csv("flow", output.units, draws(output.draws, seed, output.units))}};
}

Matrix FlowFitted::predictive(const Matrix& design) const {
  return flow_predictive(design, settings, weights(), *frame);
}

FittedDraws FlowFitted::draws(Index count, std::uint64_t from_seed, Units units) const {
  FlowDraws drawn = flow_draws(settings, weights(), *frame, count, from_seed);
  FlowCoefficients told = flow_coefficients_in(units, settings, drawn.betas, names, preparation);
  return {std::move(told.names), told.betas.transpose(), log_p ? log_p(drawn.betas) : Vector(),
          std::move(drawn.log_q)};
}

FitKind flow_kind() {
  return {.name = "flow",
          .help = "a Bayesian neural network, its posterior approximated by a Gaussian or a flow",
          .examples =
              "fisherman fit flow --data german.csv --out german-run --draws 1000\n"
              "fisherman predict --run german-run --data new.csv",
          .objective = "NELBO, nats",
          .has_draws = true,
          .takes_parts = true,
          .takes_stored = true,
          .files = {"draws.csv"},
          .settings = new_settings<FlowSettings>,
          .fit = FlowFitted::fit,
          .load = FlowFitted::load,
          .page = flow_report::page,
          .grid = "step-size=0.003,0.01,0.03,0.1,0.3,1; decay=0,0.5,0.75",
          .grid_of_scores = "epsilon=10,100,1000",
          .learns_fisher = [](const FitSettings& s) {
            return settings_as<FlowSettings>(s).learns_fisher();
          }};
}

}  // namespace fisherman
