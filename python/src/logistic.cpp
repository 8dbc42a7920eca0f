#include "fisherman/fit/logistic.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/units.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/pareto.hpp"
#include "settings.hpp"
#include "watch.hpp"

namespace fisherman::python {
namespace {

nb::dict fit(const Rows& rows, const Labels& labels, std::vector<std::string> names,
             const nb::dict& options, nb::object callback, std::optional<Reached> resume,
             std::string checkpoint, double checkpoint_every) {
  const auto settings = settings_of<LogisticSettings>(options);
  require_table(rows, labels, names);
  Watch watch(std::move(callback), std::move(resume), std::move(checkpoint), checkpoint_every);
  if (settings.method == GaussianMethod::exact)
    watch.only_new_runs("method='exact', which is done in one go");
  Preparation preparation;
  LogisticFit out;
  double khat = 0.0;
  {
    nb::gil_scoped_release free;
    set_threads(int(settings.threads));
    Matrix x = copied(rows);
    preparation = Preparation::of(x, std::move(names), settings);
    const Vector prior = prior_variances(settings, x.cols());
    const LogisticTarget target(preparation.design(std::move(x)), as_labels(labels).cast<double>(),
                                prior);
    out = fit_logistic(target, settings, [&](ErasedRun& run) { return watch.drive(run); });
    khat = posterior_khat(target, out.q, std::uint64_t(settings.seed));
  }
  nb::dict result = described(out.end, settings.iterations, watch);
  put_preparation(result, preparation);
  Coefficients own = coefficients_in(Units::own, out.q, preparation);
  result["own_names"] = std::move(own.names);
  result["own_mean"] = array(std::move(own.q.mean));
  result["own_covariance"] = array(std::move(own.q.covariance));
  result["mean"] = array(std::move(out.q.mean));
  result["covariance"] = array(std::move(out.q.covariance));
  result["khat"] = khat;
  result["khat_verdict"] = pareto_verdict(khat);
  return result;
}

nb::object predict(const Rows& rows, const Numbers& shift, const Numbers& scale, bool intercept,
                   const Numbers& mean, const Rows& covariance) {
  const Preparation preparation = preparation_of(shift, scale, intercept);
  const GaussianPoint q = gaussian_of(mean, covariance);
  require(q.mean.size() == Index(rows.shape(1)) + (intercept ? 1 : 0), "there are ", rows.shape(1),
          " columns, but ", q.mean.size(), " coefficients");
  Matrix out;
  {
    nb::gil_scoped_release free;
    out = predictive(preparation.design(copied(rows)), q);
  }
  return array(std::move(out));
}

}  // namespace

GaussianPoint gaussian_of(const Numbers& mean, const Rows& covariance) {
  const std::size_t n = mean.shape(0);
  require(n > 0 && covariance.shape(0) == n && covariance.shape(1) == n, "the mean has ", n,
          " numbers, but the covariance is ", covariance.shape(0), " x ", covariance.shape(1));
  return {copied(mean), copied(covariance)};
}

Preparation preparation_of(const Numbers& shift, const Numbers& scale, bool intercept) {
  Preparation p;
  p.shift = copied(shift);
  p.scale = copied(scale);
  p.intercept = intercept;
  return p;
}

void put_preparation(nb::dict& result, const Preparation& p) {
  result["names"] = p.names;
  result["shift"] = array(p.shift);
  result["scale"] = array(p.scale);
  result["intercept"] = p.intercept;
  result["warnings"] = p.warnings;
}

void bind_logistic(nb::module_& m) {
  using namespace nb::literals;
  m.def("fit_logistic", &fit, "x"_a.noconvert(), "y"_a.noconvert(), "names"_a, "options"_a,
        "callback"_a.none(), "resume"_a.none(), "checkpoint"_a, "checkpoint_every"_a,
        "Fit a Gaussian to the posterior of a logistic regression; y holds zeros and ones.");
  m.def("predict_logistic", &predict, "x"_a.noconvert(), "shift"_a, "scale"_a, "intercept"_a,
        "mean"_a, "covariance"_a,
        "For each row: mean of P(y = 1), its standard deviation, 5% and 95% quantiles.");
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
  m.def(
      "in_own_units",
      [](const Rows& draws, const Numbers& shift, const Numbers& scale, bool intercept,
         Index hidden) {
        const Preparation preparation = preparation_of(shift, scale, intercept);
        Matrix betas = copied(draws).transpose();
        const Matrix own = hidden > 0 ? network_in_own_units(std::move(betas), preparation, hidden)
                                      : in_own_units(betas, preparation);
        return array(Matrix(own.transpose()));
      },
      "draws"_a, "shift"_a, "scale"_a, "intercept"_a, "hidden"_a,
      "Draws of coefficients, or of a network's weights if hidden > 0, in the columns' own units.");
  m.def(
      "gaussian_draws",
      [](const Numbers& mean, const Rows& covariance, Index count, std::uint64_t seed) {
        require_count(count);
        return array(posterior_draws(gaussian_of(mean, covariance), count, seed));
      },
      "mean"_a, "covariance"_a, "count"_a, "seed"_a, "Draws of a Gaussian, one a row.");
}

}  // namespace fisherman::python
