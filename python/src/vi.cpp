// Densities of one's own: fisherman.vi.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrays.hpp"
#include "bind.hpp"
#include "callbacks.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/density.hpp"
#include "fisherman/fit/flow.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/model/pareto.hpp"
#include "fisherman/solve/start_checks.hpp"
#include "settings.hpp"
#include "stan_density.hpp"
#include "watch.hpp"

namespace fisherman::python {
namespace {

GaussianPoint gaussian_of(const Numbers& mean, const Rows& covariance) {
  const std::size_t n = mean.shape(0);
  require(n > 0 && covariance.shape(0) == n && covariance.shape(1) == n, "the mean has ", n,
          " numbers, but the covariance is ", covariance.shape(0), " x ", covariance.shape(1));
  return {copied(mean), copied(covariance)};
}

/// `function` is a Stan program; or it takes draws (n, d), at most `at_most` at a time, and returns values (n,) and gradients
/// (n, d): float64 arrays in C order, which Python has seen to. The draws are the function's to keep.
FunctionTarget target_of(nb::object function, Index dimension, Index at_most, Watch* watch) {
  using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Slopes = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  if (nb::isinstance<StanDensity>(function))
    return nb::cast<const StanDensity&>(function).model.target;
  const SharedObject held(std::move(function));
  return {dimension, [=](const Matrix& betas, Matrix& gradients) {
            Vector values(betas.cols());
            in_python(watch, [&] {
              for (Index first = 0; first < betas.cols(); first += at_most) {
                const Index n = std::min(at_most, betas.cols() - first);
                const nb::object out =
                    (*held)(shaped_rows(betas.middleCols(first, n), {std::size_t(dimension)}));
                const auto v = nb::cast<Values>(out[0]);
                const auto g = nb::cast<Slopes>(out[1]);
                values.segment(first, n) = Eigen::Map<const Vector>(v.data(), n);
                gradients.middleCols(first, n) = as_matrix(g.data(), dimension, n);
              }
              return 0;
            });
            return values;
          }};
}

/// (errors, warnings) about a log density and its gradient, close to draws of the start.
nb::tuple check_density(nb::object function, const Rows& draws, bool everywhere, bool gradients) {
  const Matrix columns = copied(draws).transpose();
  const FunctionTarget target =
      target_of(std::move(function), columns.rows(), columns.cols(), nullptr);
  const StartReport report =
      check_target(target, columns, {.everywhere = everywhere, .gradients = gradients});
  return nb::make_tuple(report.errors, report.warnings);
}

std::optional<GaussianPoint> start_of(const std::optional<Numbers>& mean,
                                      const std::optional<Rows>& covariance) {
  require(mean.has_value() == covariance.has_value(), "a start needs both a mean and a covariance");
  if (!mean) return std::nullopt;
  return gaussian_of(*mean, *covariance);
}

nb::dict fit_density(nb::object function, Index dimension, const std::optional<Numbers>& mean,
                     const std::optional<Rows>& covariance, const nb::dict& options,
                     nb::object callback, std::optional<Reached> resume, std::string checkpoint,
                     double checkpoint_every) {
  const auto settings = settings_of<DensitySettings>(options);
  Watch watch(std::move(callback), std::move(resume), std::move(checkpoint), checkpoint_every);
  const std::optional<GaussianPoint> start = start_of(mean, covariance);
  // What newton asks for at a time.
  const Index at_most = std::max<Index>(settings.batch, 2 * dimension + 1);
  const bool blocks = settings.method == GaussianMethod::newton;
  const FunctionTarget target =
      target_of(std::move(function), dimension, blocks ? at_most : settings.batch, &watch);
  GaussianFit fit;
  {
    const nb::gil_scoped_release free;
    set_threads(int(settings.threads));
    fit = fit_gaussian(target, settings, start, [&](ErasedRun& run) { return watch.drive(run); });
  }
  nb::dict result = described(fit.end, fit.end.as_asked(settings.iterations), watch);
  result["doubts"] =
      doubts_about(fit, "Gaussian",
                   "or a flow (vi.flow), or NUTS, which can begin with the files of save_stan()");
  result["mean"] = array(std::move(fit.q.mean));
  result["covariance"] = array(std::move(fit.q.covariance));
  result["objective_error"] = fit.objective_error;
  result["khat"] = fit.ratios.k;
  result["khat_verdict"] = fit.ratios.verdict();
  result["ratio_variation"] = fit.ratios.variation;
  if (blocks) {
    result["gradients"] = fit.gradients;
    result["failed"] = fit.failed;
  }
  result["other_objectives"] = array(std::move(fit.others));
  result["log_ratios"] = array(std::move(fit.log_ratios));
  return result;
}

nb::dict fit_flow_density(nb::object function, Index dimension, const nb::dict& options,
                          nb::object callback, std::optional<Reached> resume,
                          std::string checkpoint, double checkpoint_every) {
  const auto settings = settings_of<FlowSettings>(options);
  Watch watch(std::move(callback), std::move(resume), std::move(checkpoint), checkpoint_every);
  const FunctionTarget target =
      target_of(std::move(function), dimension, std::max<Index>(100, settings.batch), &watch);
  std::optional<FlowFit> fit;
  {
    const nb::gil_scoped_release free;
    set_threads(int(settings.threads));
    fit = fit_flow(target, settings, [&](ErasedRun& run) { return watch.drive(run); });
  }
  nb::dict result = described(fit->end, fit->end.as_asked(settings.iterations), watch);
  result["doubts"] = doubts_about(*fit, "flow", "and so may NUTS");
  result["flow_state"] = array(fit->frame.state());
  result["objective_error"] = fit->objective_error;
  result["khat"] = fit->ratios.k;
  result["khat_verdict"] = fit->ratios.verdict();
  result["ratio_variation"] = fit->ratios.variation;
  return result;
}

/// Draws, one per row, and log q at them.
nb::tuple flow_draws_of(const nb::dict& options, Index dimension, const Numbers& state, Index count,
                        std::uint64_t seed) {
  require_count(count);
  const auto settings = settings_of<FlowSettings>(options);
  const AnyFrame frame = flow_frame(settings, dimension, copied(state));
  FlowDraws drawn = flow_draws(settings, dimension, frame, count, seed);
  return nb::make_tuple(array(Matrix(drawn.betas.transpose())), array(std::move(drawn.log_q)));
}

/// Draws as Pareto-smoothed importance weights choose them.
nb::object resampled_of(const Numbers& log_ratios, std::uint64_t seed) {
  const Vector weights = pareto_smoothed(copied(log_ratios)).log_weights;
  return array(resampled(weights, weights.size(), seed));
}

bool corrects_of(const std::string& resample, double khat, double variation) {
  DensityFitSettings settings;
  Options options;
  settings.describe(options);
  options.set("resample", resample);
  return corrects(settings.resample, {khat, variation});
}

nb::object summaries(const Rows& values, const Numbers& log_ratios, bool weighted) {
  const Vector ratios = copied(log_ratios);
  const Vector equal = Vector::Constant(ratios.size(), -std::log(double(ratios.size())));
  const Vector weights = weighted ? pareto_smoothed(ratios).log_weights : equal;
  return array(summaries_of(copied(values), weights, ratios));
}

}  // namespace

void bind_vi(nb::module_& m) {
  using namespace nb::literals;
  m.def("check_density", &check_density, "function"_a, "draws"_a, "everywhere"_a, "gradients"_a,
        "(errors, warnings): what looks wrong with a log density close to draws of the start.");
  m.def("fit_density", &fit_density, "function"_a, "dimension"_a, "mean"_a.none(),
        "covariance"_a.none(), "options"_a, "callback"_a.none(), "resume"_a.none(), "checkpoint"_a,
        "checkpoint_every"_a,
        "Fit a Gaussian to a log density, from a Gaussian to start with if there is one.");
  m.def("fit_flow_density", &fit_flow_density, "function"_a, "dimension"_a, "options"_a,
        "callback"_a.none(), "resume"_a.none(), "checkpoint"_a, "checkpoint_every"_a,
        "Fit a flow to a log density.");
  m.def(
      "gaussian_draws",
      [](const Numbers& mean, const Rows& covariance, Index count, std::uint64_t seed) {
        require_count(count);
        return array(posterior_draws(gaussian_of(mean, covariance), count, seed));
      },
      "mean"_a, "covariance"_a, "count"_a, "seed"_a, "Draws of a Gaussian, one per row.");
  m.def("flow_draws", &flow_draws_of, "options"_a, "dimension"_a, "state"_a, "count"_a, "seed"_a,
        "(draws, log q): draws of a flow, one per row.");
  m.def(
      "gaussian_log_density",
      [](const Numbers& mean, const Rows& covariance, const Rows& draws) {
        return array(log_density(gaussian_of(mean, covariance), copied(draws)));
      },
      "mean"_a, "covariance"_a, "draws"_a, "log q at draws, one per row.");
  m.def(
      "khat_draws",
      [](const Numbers& mean, const Rows& covariance, Index count, std::uint64_t seed) {
        require_count(count);
        return array(Matrix(khat_draws(gaussian_of(mean, covariance), count, seed).transpose()));
      },
      "mean"_a, "covariance"_a, "count"_a, "seed"_a,
      "The draws, one per row, that the Pareto k of a fit with this seed is from.");
  m.def("corrects", &corrects_of, "resample"_a, "khat"_a, "ratio_variation"_a,
        "Whether weights correct the draws of an approximation with this Pareto k.");
  m.def("resampled", &resampled_of, "log_ratios"_a, "seed"_a,
        "Numbers of draws, as often as their Pareto-smoothed importance weights say.");
  m.def("summaries", &summaries, "values"_a, "log_ratios"_a, "weighted"_a,
        "Mean, sd, 5%, 50% and 95% quantiles, effective number of draws and Pareto k: one row for "
        "each "
        "column of values.");
  m.def(
      "logistic_elbo",
      [](const Rows& design, const Numbers& y, double prior_variance, const Numbers& mean,
         const Rows& covariance) {
        const LogisticTarget target(copied(design), copied(y), prior_variance);
        const GaussianPoint q = gaussian_of(mean, covariance);
        require(q.mean.size() == target.dimension(), "there are ", target.dimension(),
                " columns, but ", q.mean.size(), " coefficients");
        const nb::gil_scoped_release free;
        return -GaussianVb(target).nelbo(q.mean, q.covariance);
      },
      "design"_a, "y"_a, "prior_variance"_a, "mean"_a, "covariance"_a,
      "The exact ELBO of a Gaussian for a logistic regression, all constants included.");
}

}  // namespace fisherman::python
