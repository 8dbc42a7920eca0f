// Stan programs: fisherman.vi has their densities without a Python function in between.
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fisherman/fit/stan_files.hpp"
#include "stan_density.hpp"

namespace fisherman::python {
namespace {

StanDensity stan_density_of(const std::string& program, const std::string& data, std::uint64_t seed,
                            const std::function<void(const std::string&)>& say) {
  const nb::gil_scoped_release free;
  return {stan_density(program, data, seed, [&](const std::string& line) {
    const nb::gil_scoped_acquire lock;
    say(line);
  })};
}

Matrix points_of(const StanDensity& stan, const Rows& draws) {
  const Index d = stan.model.target.dimension();
  require(Index(draws.shape(1)) == d, "the draws have ", draws.shape(1),
          " columns, but the model has ", d, " unconstrained parameters");
  return copied(draws).transpose();
}

nb::tuple log_density_of(const StanDensity& stan, const Rows& draws) {
  const Matrix points = points_of(stan, draws);
  Matrix gradients(points.rows(), points.cols());
  Vector values;
  {
    const nb::gil_scoped_release free;
    values = stan.model.target.log_density(points, gradients);
    gradients.transposeInPlace();
  }
  return nb::make_tuple(array(std::move(values)), array(std::move(gradients)));
}

nb::object constrained_of(const StanDensity& stan, const Rows& draws) {
  const Matrix points = points_of(stan, draws);
  Matrix out(points.cols(), Index(stan.model.quantities.size()));
  {
    const nb::gil_scoped_release free;
    for (Index k = 0; k < points.cols(); ++k)
      out.row(k) = stan.model.at(points.col(k), std::uint64_t(k)).transpose();
  }
  return array(std::move(out));
}

}  // namespace

void bind_stan(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<StanDensity>(m, "StanModel", "A Stan program with its data.")
      .def_prop_ro("name", [](const StanDensity& s) { return s.model.name; })
      .def_prop_ro(
          "dimension", [](const StanDensity& s) { return s.model.target.dimension(); },
          "The number of unconstrained parameters.")
      .def_prop_ro(
          "coordinates", [](const StanDensity& s) { return s.model.coordinates; },
          "Names of the unconstrained parameters.")
      .def_prop_ro(
          "names", [](const StanDensity& s) { return s.model.quantities; },
          "Names of the parameters, of transformed parameters and of generated quantities.")
      .def_prop_ro(
          "parameters", [](const StanDensity& s) { return s.model.parameters; },
          "So many of the names are those of parameters.")
      .def("log_density", &log_density_of, "draws"_a,
           "(values, gradients) at unconstrained draws, one per row.")
      .def("constrain", &constrained_of, "draws"_a,
           "The values of names at unconstrained draws, one per row.")
      .def(
          "complaint", [](const StanDensity& s) { return s.model.complaint(); },
          "What went wrong at some points, as a sentence; empty if nothing has.");
  m.def("stan_model", &stan_density_of, "program"_a, "data"_a, "seed"_a, "say"_a,
        "A .stan file, which is compiled first, or a library with BridgeStan's interface.");
  m.def(
      "stan_metric", [](const Rows& covariance) { return stan_metric(copied(covariance)); },
      "covariance"_a, "The text of CmdStan's metric_file.");
  m.def(
      "stan_inits",
      [](const std::vector<std::string>& names, const Numbers& values) {
        require(names.size() == values.shape(0), "there are ", names.size(), " names, but ",
                values.shape(0), " values");
        return stan_inits(names, copied(values));
      },
      "names"_a, "values"_a, "The text of CmdStan's init file, from names such as beta[2,1].");
}

}  // namespace fisherman::python
