#include "fisherman/fit/flow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/model/pareto.hpp"
#include "settings.hpp"
#include "watch.hpp"

namespace fisherman::python {
namespace {

nb::dict fit(const Rows& rows, const Labels& labels, std::vector<std::string> names,
             const nb::dict& options, nb::object callback, std::optional<Reached> resume,
             std::string checkpoint, double checkpoint_every) {
  const auto settings = settings_of<FlowSettings>(options);
  require_table(rows, labels, names);
  Watch watch(std::move(callback), std::move(resume), std::move(checkpoint), checkpoint_every);
  Preparation preparation;
  std::optional<FlowFit> out;
  Index weights = 0;
  std::vector<std::string> weight_names;
  {
    nb::gil_scoped_release free;
    set_threads(int(settings.threads));
    Matrix x = copied(rows);
    preparation = Preparation::of(x, std::move(names), settings.columns());
    Matrix design = preparation.design(std::move(x));
    const Vector y = as_labels(labels).cast<double>();
    const auto with = [&](const auto& target, std::vector<std::string> of_weights) {
      out = fit_flow(target, settings, [&](ErasedRun& run) { return watch.drive(run); });
      weights = target.dimension();
      weight_names = std::move(of_weights);
    };
    if (settings.target == FlowTarget::logistic) {
      const Vector prior = prior_variances(settings.columns(), Index(rows.shape(1)));
      with(LogisticTarget(std::move(design), y, prior), preparation.names);
    } else {
      const NeuralTarget target(design, y, settings.network());
      with(target, target.names(preparation.names));
    }
  }
  nb::dict result = described(out->end, settings.iterations, watch);
  put_preparation(result, preparation);
  result["names"] = weight_names;
  result["own_names"] =
      settings.target == FlowTarget::logistic ? own_names(preparation) : weight_names;
  result["hidden"] = settings.target == FlowTarget::logistic ? 0 : settings.hidden;
  result["weights"] = weights;
  result["flow_state"] = array(out->frame.state());
  result["objective_error"] = out->objective_error;
  result["khat"] = out->khat;
  result["khat_verdict"] = pareto_verdict(out->khat);
  return result;
}

nb::object predict(const Rows& rows, const Numbers& shift, const Numbers& scale,
                   const nb::dict& options, Index weights, const Numbers& state) {
  const auto settings = settings_of<FlowSettings>(options);
  const Preparation preparation = preparation_of(shift, scale, settings.columns().intercept);
  const Vector numbers = copied(state);
  Matrix out;
  {
    nb::gil_scoped_release free;
    out = flow_predictive(preparation.design(copied(rows)), settings, weights,
                          flow_frame(settings, weights, numbers));
  }
  return array(std::move(out));
}

nb::tuple draws(const nb::dict& options, Index weights, const Numbers& state, Index count,
                std::uint64_t seed) {
  require_count(count);
  const auto settings = settings_of<FlowSettings>(options);
  FlowDraws out =
      flow_draws(settings, weights, flow_frame(settings, weights, copied(state)), count, seed);
  return nb::make_tuple(array(Matrix(out.betas.transpose())), array(std::move(out.log_q)));
}

}  // namespace

void bind_flow(nb::module_& m) {
  using namespace nb::literals;
  m.def("fit_flow", &fit, "x"_a.noconvert(), "y"_a.noconvert(), "names"_a, "options"_a,
        "callback"_a.none(), "resume"_a.none(), "checkpoint"_a, "checkpoint_every"_a,
        "Fit a flow to the posterior of a neural network or a logistic regression.");
  m.def("predict_flow", &predict, "x"_a.noconvert(), "shift"_a, "scale"_a, "options"_a, "weights"_a,
        "state"_a, "For each row: mean of P(y = 1), its standard deviation, 5% and 95% quantiles.");
  m.def("flow_draws", &draws, "options"_a, "weights"_a, "state"_a, "count"_a, "seed"_a,
        "Draws of the weights, one a row, and their log density.");
}

}  // namespace fisherman::python
