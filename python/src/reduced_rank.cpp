#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/reduced_rank_fit.hpp"
#include "settings.hpp"
#include "watch.hpp"

namespace fisherman::python {
namespace {

nb::dict described(const ReducedRankLeg& leg) {
  nb::dict out;
  out["rank"] = leg.rank;
  out["start"] = leg.start;
  out["status"] = leg.end.status;
  out["objective"] = leg.end.objective;
  out["iterations"] = leg.end.iterations;
  out["seconds"] = leg.end.seconds;
  out["gain"] = leg.gain;
  out["accuracy"] = leg.train.accuracy;
  if (leg.test) {
    out["test_loss"] = leg.test->loss;
    out["test_accuracy"] = leg.test->accuracy;
  }
  return out;
}

/// Rows from 0 to the number of classes less one, with a copy of the labels.
std::vector<int> classes_of(const Labels& labels) {
  return {labels.data(), labels.data() + labels.shape(0)};
}

nb::dict fit(const Rows& rows, const Labels& labels, std::vector<std::string> names,
             const nb::dict& options, nb::object callback, std::optional<Reached> resume,
             std::string checkpoint, double checkpoint_every) {
  const auto settings = settings_of<ReducedRankSettings>(options);
  require_table(rows, labels, names);
  Watch watch(std::move(callback), std::move(resume), std::move(checkpoint), checkpoint_every);
  FeatureMap map;
  ReducedRankFit out;
  std::vector<nb::dict> runs;  // described as they end: the next leg begins a trace of its own
  Errors errors;
  std::vector<std::string> warnings;
  {
    nb::gil_scoped_release free;
    set_threads(int(settings.threads));
    const std::vector<int> y = classes_of(labels);
    const Index K = Index(*std::max_element(y.begin(), y.end())) + 1;
    FitRows data;
    std::optional<MemoryPlan> plan;
    std::vector<Index> ranks;
    {
      const Matrix x = copied(rows);
      // Arrays are never taken for images: what their numbers are is not told by looking at them.
      map = FeatureMap::of(x, std::move(names), settings.scaling(false));
      const auto kept = Index(map.kept.size());
      ranks = settings.ranks(kept, K);
      plan = plan_memory(settings, x.rows(), x.cols(), kept, K,
                         *std::max_element(ranks.begin(), ranks.end()));
      if (kept < x.cols())
        warnings.push_back(
            sentence(x.cols() - kept, " of ", x.cols(),
                     " features are constant; they are left out, and their coefficients are 0"));
      data = split_rows(x, y, K, map, plan->single_design, settings);
    }
    if (ranks.size() > 1 || settings.starts > 1)
      watch.only_new_runs("several ranks or starts: only one run can go on");
    if (settings.method == ReducedRankMethod::lbfgs)
      watch.only_new_runs("method='lbfgs', which is done in one go");
    out = fit_path(
        ranks, settings.starts, [&](Index rank, Index start) -> std::optional<ReducedRankLeg> {
          if (watch.interrupted()) return std::nullopt;
          watch.begin();
          auto leg = fit_leg(
              data, settings, rank, start, *plan, [&](ErasedRun& run) { return watch.drive(run); },
              [&](const Record& r) { return watch.see(r); });
          nb::gil_scoped_acquire lock;
          runs.push_back(described(leg.end, settings.iterations, watch));
          return leg;
        });
    errors = standard_errors(data, out.legs.at(out.best).point, settings);
  }
  const ReducedRankLeg& best = out.legs[out.best];
  if (errors.asked && !errors.uncertainty)
    warnings.emplace_back(
        "the Fisher information is singular at the fit, so there are no standard errors");
  if (best.separable) warnings.emplace_back(separable_words);
  nb::dict result = runs[out.best];
  const FixedRank& B = best.point.factor<0>();
  const Components parts = components(best.point);
  nb::list path;
  for (const ReducedRankLeg& leg : out.legs) path.append(described(leg));
  result["path"] = path;
  result["rank"] = best.rank;
  result["scaling"] = name(settings.scaling(false));
  result["gain"] = best.gain;
  result["warnings"] = warnings;
  result["columns"] = map.names.size();
  result["kept"] = array(map.kept);
  result["shift"] = array(map.shift);
  result["scale"] = array(map.scale);
  result["U"] = array(B.U());
  result["S"] = array(B.S());
  result["V"] = array(B.V());
  result["intercepts"] = array(Vector(best.point.factor<1>().point()));
  result["B"] = array(map.restored(B.matrix()));
  result["components"] = array(map.restored(parts.U));
  result["singular_values"] = array(parts.s);
  result["class_components"] = array(parts.V);
  result["B_errors"] = nb::none();
  result["intercept_errors"] = nb::none();
  result["covariance"] = nb::none();
  if (errors.uncertainty) {
    result["B_errors"] = array(map.restored(errors.uncertainty->coefficients()));
    result["intercept_errors"] = array(errors.uncertainty->intercepts());
    result["covariance"] = array(Matrix(errors.uncertainty->covariance()));
  }
  return result;
}

/// n×K probabilities and, with a covariance, their standard errors.
nb::tuple predict(const Rows& rows, const Labels& kept, const Numbers& shift, const Numbers& scale,
                  const Rows& U, const Rows& S, const Rows& V, const Numbers& intercepts,
                  const std::optional<Rows>& covariance) {
  FeatureMap map;
  map.names.resize(rows.shape(1));
  map.kept.assign(kept.data(), kept.data() + kept.shape(0));
  map.shift = copied(shift);
  map.scale = copied(scale);
  const ReducedRank point(FixedRank(copied(U), copied(S), copied(V)),
                          Euclidean(copied(intercepts)));
  Matrix p, errors;
  {
    nb::gil_scoped_release free;
    const Matrix x = map.design<double>(copied(rows), all_rows(Index(rows.shape(0))));
    const LinearScores s = Multinomial::linear(point);
    const Matrix z = s.left.transpose() * x;
    p = probabilities((s.right * z).colwise() + s.intercepts).transpose();
    if (covariance) errors = Uncertainty(point, copied(*covariance)).probabilities(x).transpose();
  }
  return nb::make_tuple(array(std::move(p)),
                        covariance ? array(std::move(errors)) : nb::object(nb::none()));
}

}  // namespace

void bind_reduced_rank(nb::module_& m) {
  using namespace nb::literals;
  m.def("fit_reduced_rank", &fit, "x"_a.noconvert(), "y"_a.noconvert(), "names"_a, "options"_a,
        "callback"_a.none(), "resume"_a.none(), "checkpoint"_a, "checkpoint_every"_a,
        "Fit a multinomial regression of low rank; y counts the classes from 0.");
  m.def("predict_reduced_rank", &predict, "x"_a.noconvert(), "kept"_a, "shift"_a, "scale"_a, "U"_a,
        "S"_a, "V"_a, "intercepts"_a, "covariance"_a.none(),
        "Probabilities of each row's classes, and their standard errors or None.");
}

}  // namespace fisherman::python
