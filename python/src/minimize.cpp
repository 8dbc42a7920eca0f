// Models of one's own on any manifold: fisherman.minimize, and the laws of manifolds.
#include "fisherman/fit/minimize.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <sstream>

#include "bind.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/driver.hpp"
#include "fisherman/solve/start_checks.hpp"
#include "fisherman/testing/frame_laws.hpp"
#include "frames.hpp"
#include "settings.hpp"

namespace fisherman::python {
namespace {

/// An object with gradient(frame, draws), and maybe scores(frame, draws), objective(frame), fisher(frame).
class PythonModel {
 public:
  PythonModel(nb::object model, Shape shape, Watch* watch)
      : model_(std::move(model)), shape_(std::move(shape)), watch_(watch) {
    if (!nb::hasattr(*model_, "gradient"))
      throw nb::type_error("a model needs gradient(frame, draws)");
  }

  Vector gradient(const AnyFrame& frame, const Draws& draws) const {
    return in_python(watch_, [&] {
      return flat(model_->attr("gradient")(for_python(frame, shape_), draws),
                  {std::size_t(frame.dimension())}, "what gradient() returns");
    });
  }
  Matrix scores(const AnyFrame& frame, const Draws& draws) const {
    return in_python(watch_, [&] {
      need("scores", "scores(frame, draws), which method='ifngd' and 'window' learn from");
      return flat_rows(model_->attr("scores")(for_python(frame, shape_), draws),
                       {std::size_t(frame.dimension())}, "what scores() returns");
    });
  }
  std::optional<double> objective(const AnyFrame& frame) const {
    return in_python(watch_, [&]() -> std::optional<double> {
      if (!nb::hasattr(*model_, "objective")) return std::nullopt;
      const nb::object value = model_->attr("objective")(for_python(frame, shape_));
      double out = 0.0;
      require(nb::try_cast(nb::float_(value), out), "objective() must return a number");
      return out;
    });
  }
  FisherOperator fisher(const AnyFrame& frame) const {
    const Index d = frame.dimension();
    const Matrix F = in_python(watch_, [&] {
      need("fisher", "fisher(frame), which method='ngd' solves with");
      const Matrix out = flat_rows(model_->attr("fisher")(for_python(frame, shape_)),
                                   {std::size_t(d)}, "what fisher() returns");
      require(out.cols() == d, "fisher() returned ", out.cols(), " rows, but there are ", d,
              " coordinates");
      return out;
    });
    const Eigen::LLT<Matrix> factor(F);
    if (factor.info() != Eigen::Success)
      throw NotFinite("what fisher() returned is not positive definite");
    return {[F](const Vector& v) -> Vector { return F * v; },
            [factor](const Vector& g) -> Vector { return factor.solve(g); }};
  }

 private:
  void need(const char* name, const char* what) const {
    if (!nb::hasattr(*model_, name))
      throw nb::type_error(sentence("this model has no ", what).c_str());
  }
  SharedObject model_;
  Shape shape_;
  Watch* watch_;
};

nb::dict minimize(nb::handle start, nb::object model, const nb::dict& options, nb::object callback,
                  std::optional<Reached> resume, std::string checkpoint, double checkpoint_every) {
  const auto settings = settings_of<MinimizeSettings>(options);
  const ShapedFrame from = frame_of(start);
  Watch watch(std::move(callback), std::move(resume), std::move(checkpoint), checkpoint_every);
  AnyModel erased = AnyModel::of<AnyFrame>(PythonModel(std::move(model), from.shape, &watch));
  FitSummary end;
  std::optional<AnyFrame> estimate;
  {
    const nb::gil_scoped_release free;
    set_threads(int(settings.threads));
    ErasedRun run = make_run(from.frame, std::move(erased), settings);
    end = watch.drive(run);
    estimate = run.state.estimate();
  }
  nb::dict result = described(end, end.as_asked(settings.iterations), watch);
  result["frame"] = for_python(*estimate, from.shape);
  return result;
}

/// (errors, warnings) about a manifold and a model where a run would start.
nb::tuple check_start(nb::handle start, nb::object model, std::uint64_t seed) {
  const ShapedFrame from = frame_of(start);
  AnyModel erased = AnyModel::of<AnyFrame>(PythonModel(std::move(model), from.shape, nullptr));
  StartReport report = check_manifold(from.frame, seed);
  if (report.errors.empty()) report.add(check_model(erased, from.frame, seed));
  return nb::make_tuple(report.errors, report.warnings);
}

/// (name, measured, lowest, highest, holds) of each law.
nb::list check_frame(nb::handle start, nb::object metric, bool embedded, int order, bool exp_log,
                     std::uint64_t seed, double step) {
  const ShapedFrame f = frame_of(start);
  testing::FrameLawOptions options{
      .embedded = embedded, .order = order, .exp_log = exp_log, .seed = seed, .step = step};
  if (!metric.is_none())
    options.metric = [held = SharedObject(std::move(metric)), shape = f.shape](const Vector& a,
                                                                               const Vector& b) {
      return in_python(nullptr, [&] {
        return nb::cast<double>(nb::float_((*held)(shaped(a, shape), shaped(b, shape))));
      });
    };
  nb::list out;
  const testing::LawReport report = testing::check_frame(f.frame, options);
  for (const testing::Law& law : report.laws())
    out.append(nb::make_tuple(law.name, law.measured, law.lowest, law.highest, law.holds()));
  return out;
}

}  // namespace

void bind_minimize(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Draws>(
      m, "Draws",
      "The random numbers of one iteration: asked twice for a stream, they are the same.")
      .def(nb::init<std::uint64_t, std::uint64_t>(), "seed"_a, "index"_a)
      .def(
          "normals",
          [](const Draws& d, std::uint32_t stream, Index rows, Index cols) {
            require_count(rows);
            require_count(cols);
            return shaped_rows(d.normals(stream, cols, rows), {std::size_t(cols)});
          },
          "stream"_a, "rows"_a, "cols"_a, "Standard normal numbers, (rows, cols).")
      .def(
          "uniforms",
          [](const Draws& d, std::uint32_t stream, Index rows, Index cols) {
            require_count(rows);
            require_count(cols);
            return shaped_rows(d.uniforms(stream, cols, rows), {std::size_t(cols)});
          },
          "stream"_a, "rows"_a, "cols"_a, "Numbers between 0 and 1, (rows, cols).")
      .def(
          "integers",
          [](const Draws& d, std::uint32_t stream, Index count, Index bound) {
            require_count(count);
            return array(d.integers(stream, count, bound));
          },
          "stream"_a, "count"_a, "bound"_a, "Whole numbers from 0 to bound − 1, with replacement.");
  m.def("minimize", &minimize, "start"_a, "model"_a, "options"_a, "callback"_a.none(),
        "resume"_a.none(), "checkpoint"_a, "checkpoint_every"_a,
        "Minimise a model's objective from a frame.");
  m.def("check_start", &check_start, "start"_a, "model"_a, "seed"_a,
        "(errors, warnings): what looks wrong with a manifold and a model at the start.");
  m.def("check_frame", &check_frame, "frame"_a, "metric"_a.none(), "embedded"_a, "order"_a,
        "exp_log"_a, "seed"_a, "step"_a,
        "(name, measured, lowest, highest, holds) of each law of a frame.");
}

}  // namespace fisherman::python
