#include "frames.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "fisherman/fit/registry.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/fixed_rank.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/manifold/grassmann.hpp"
#include "fisherman/manifold/power.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/manifold/stiefel.hpp"

namespace fisherman::python {
namespace {

Shape coordinates(Index dimension) { return {std::size_t(dimension)}; }

Shape shape_of_array(nb::handle array) {
  Shape out;
  for (const nb::handle n : nb::tuple(array.attr("shape"))) out.push_back(nb::cast<std::size_t>(n));
  return out;
}

nb::object member(nb::handle object, const char* name) {
  if (!nb::hasattr(object, name))
    throw nb::type_error(sentence("a frame needs '", name, "', which this ",
                                  nb::cast<std::string>(object.type().attr("__name__")), " has not")
                             .c_str());
  return object.attr(name);
}

}  // namespace

PythonFrame::PythonFrame(nb::object self) : self_(std::move(self)), dimension_(0) {
  in_python(nullptr, [&] {
    const nb::object point = member(*self_, "point");
    if (!nb::hasattr(point, "shape")) throw nb::type_error("a frame's point must be an array");
    for (const char* name : {"pull", "push", "retract"}) member(*self_, name);
    dimension_ = nb::cast<Index>(member(*self_, "dimension"));
    require(dimension_ > 0, "a frame's dimension is ", dimension_, ", but must be positive");
    shape_ = shape_of_array(point);
    point_ = flat(point, shape_, "the point of a frame");
    return 0;
  });
}

Matrix PythonFrame::pull(const Matrix& E) const {
  return in_python(nullptr, [&] {
    Matrix out = flat_rows(self_->attr("pull")(shaped_rows(E, shape_)), coordinates(dimension_),
                           "what pull() returns");
    require(out.cols() == E.cols(), "pull() returned ", out.cols(), " rows for ", E.cols());
    return out;
  });
}

Vector PythonFrame::push(const Vector& v) const {
  return in_python(nullptr, [&] {
    return flat(self_->attr("push")(shaped(v, coordinates(dimension_))), shape_,
                "what push() returns");
  });
}

PythonFrame PythonFrame::retract(const Vector& v) const {
  PythonFrame next = in_python(nullptr, [&] {
    return PythonFrame(nb::object(self_->attr("retract")(shaped(v, coordinates(dimension_)))));
  });
  require_finite(next.point_, "the point after a step");
  return next;
}

double PythonFrame::reach(const Vector& v) const {
  return in_python(nullptr, [&] {
    if (!nb::hasattr(*self_, "reach")) return 1.0;
    return nb::cast<double>(self_->attr("reach")(shaped(v, coordinates(dimension_))));
  });
}

SavedPythonFrame SavedPythonFrame::retract(const Vector& v) const {
  const PythonFrame next = PythonFrame::retract(v);
  return in_python(nullptr, [&] { return SavedPythonFrame(*next.self()); });
}

Vector SavedPythonFrame::state() const {
  return in_python(nullptr, [&] {
    const nb::object state = self_->attr("state")();
    if (!nb::hasattr(state, "shape")) throw nb::type_error("state() must return an array");
    return flat(state, {nb::cast<std::size_t>(state.attr("size"))}, "what state() returns");
  });
}

SavedPythonFrame SavedPythonFrame::restored(const Vector& state) const {
  return in_python(nullptr, [&] {
    return SavedPythonFrame(
        nb::object(self_->attr("restored")(shaped(state, coordinates(state.size())))));
  });
}

ShapedFrame frame_of(nb::handle object) {
  if (nb::isinstance<ShapedFrame>(object)) return nb::cast<ShapedFrame>(object);
  nb::object self = nb::borrow(object);
  if (nb::hasattr(object, "state") && nb::hasattr(object, "restored")) {
    SavedPythonFrame frame(std::move(self));
    const Shape shape = frame.shape();
    return {AnyFrame(std::move(frame)), shape};
  }
  PythonFrame frame(std::move(self));
  const Shape shape = frame.shape();
  return {AnyFrame(std::move(frame)), shape};
}

nb::object for_python(const AnyFrame& frame, const Shape& shape) {
  if (frame.holds<PythonFrame>()) return *frame.as<PythonFrame>().self();
  if (frame.holds<SavedPythonFrame>()) return *frame.as<SavedPythonFrame>().self();
  return nb::cast(ShapedFrame{frame, shape});
}

namespace {

Shape shape_of(const Rows& a) { return {a.shape(0), a.shape(1)}; }

template <class F>
ShapedFrame of_matrix(F frame, const Rows& x) {
  return {AnyFrame(std::move(frame)), shape_of(x)};
}

template <class Word>
Word named(const std::string& name, const char* what,
           const std::vector<std::pair<const char*, Word>>& words) {
  std::string all;
  for (const auto& [word, value] : words) {
    if (name == word) return value;
    all += (all.empty() ? "'" : ", '") + std::string(word) + "'";
  }
  throw Misuse(sentence(what, " is '", name, "', but must be one of ", all));
}

ShapedFrame stiefel(const Rows& x, const std::string& retraction) {
  using R = StiefelRetraction;
  return of_matrix(
      Stiefel(copied(x), named<R>(retraction, "retraction",
                                  {{"cayley", R::cayley}, {"qr", R::qr}, {"polar", R::polar}})),
      x);
}

ShapedFrame grassmann(const Rows& x, const std::string& retraction) {
  using R = GrassmannRetraction;
  return of_matrix(
      Grassmann(copied(x),
                named<R>(retraction, "retraction",
                         {{"exponential", R::exponential}, {"qr", R::qr}, {"polar", R::polar}})),
      x);
}

ShapedFrame spd(const Rows& x, const std::string& metric) {
  using Make = AnyFrame (*)(const Matrix&);
  const auto make =
      named<Make>(metric, "metric",
                  {{"affine", [](const Matrix& s) { return AnyFrame(SpdAffine(s)); }},
                   {"bw", [](const Matrix& s) { return AnyFrame(SpdBuresWasserstein(s)); }},
                   {"log-euclidean", [](const Matrix& s) { return AnyFrame(SpdLogEuclidean(s)); }},
                   {"euclidean", [](const Matrix& s) { return AnyFrame(SpdEuclidean(s)); }}});
  return {make(copied(x)), shape_of(x)};
}

ShapedFrame gaussian(const Numbers& mean, const Rows& covariance, const std::string& metric) {
  using Make = AnyFrame (*)(const Vector&, const Matrix&);
  const auto make = named<Make>(
      metric, "metric",
      {{"affine", [](const Vector& m, const Matrix& s) { return AnyFrame(gaussian_affine(m, s)); }},
       {"bw", [](const Vector& m,
                 const Matrix& s) { return AnyFrame(gaussian_bures_wasserstein(m, s)); }},
       {"euclidean",
        [](const Vector& m, const Matrix& s) { return AnyFrame(gaussian_euclidean(m, s)); }}});
  const AnyFrame frame = make(copied(mean), copied(covariance));
  return {frame, coordinates(frame.point().size())};
}

ShapedFrame product(const nb::args& parts) {
  std::vector<AnyFrame> frames;
  for (const nb::handle part : parts) frames.push_back(frame_of(part).frame);
  require(!frames.empty(), "a product needs at least one frame");
  const Power<AnyFrame> all(std::move(frames));
  return {AnyFrame(all), coordinates(Vector(all.point()).size())};
}

ShapedFrame random(const std::string& name, const std::vector<Index>& sizes, std::uint64_t seed) {
  for (const auto& m : manifolds()) {
    if (m.name != name) continue;
    const Sizes& wanted = sizes.empty() ? m.usual : sizes;
    require(wanted.size() == m.usual.size(), "'", name, "' takes the sizes ", m.size_names,
            ", but was given ", wanted.size());
    for (const Index size : wanted)
      require(size > 0, "a size of '", name, "' is ", size, ", but must be positive");
    const AnyFrame frame = m.make(wanted, seed).frame;
    return {frame, coordinates(frame.point().size())};
  }
  throw Misuse(sentence("there is no manifold '", name, "'; manifolds.names() lists them"));
}

nb::list names() {
  nb::list out;
  for (const auto& m : manifolds()) out.append(nb::make_tuple(m.name, m.help, m.size_names));
  return out;
}

/// One gradient of the point's shape, or several with one more dimension in front.
nb::object pull(const ShapedFrame& f, nb::handle E) {
  const bool one =
      nb::hasattr(E, "ndim") && nb::cast<std::size_t>(E.attr("ndim")) == f.shape.size();
  if (one) return array(Vector(f.frame.pull(Matrix(flat(E, f.shape, "a gradient")))));
  return shaped_rows(f.frame.pull(flat_rows(E, f.shape, "an array of gradients")),
                     coordinates(f.frame.dimension()));
}

Vector step(const ShapedFrame& f, nb::handle v) {
  return flat(v, coordinates(f.frame.dimension()), "a tangent vector");
}

}  // namespace

void bind_frames(nb::module_& m) {
  using namespace nb::literals;
  using F = ShapedFrame;
  nb::class_<F>(m, "Frame",
                "A manifold seen from one of its points: coordinates of the tangent space, and the "
                "way to other points. fisherman.manifolds makes them.")
      .def_prop_ro(
          "dimension", [](const F& f) { return f.frame.dimension(); }, "The number of coordinates.")
      .def_prop_ro(
          "shape", [](const F& f) { return nb::tuple(nb::cast(f.shape)); },
          "Of points, ambient gradients and tangent vectors.")
      .def_prop_ro("point", [](const F& f) { return shaped(f.frame.point(), f.shape); })
      .def("pull", &pull, "gradients"_a,
           "Coordinates of Euclidean gradients: one of the point's shape, or several, (b, *shape).")
      .def(
          "push",
          [](const F& f, nb::handle v) { return shaped(f.frame.push(step(f, v)), f.shape); }, "v"_a,
          "The ambient tangent vector with coordinates v.")
      .def(
          "lift",
          [](const F& f, nb::handle u) {
            return array(f.frame.lift(flat(u, f.shape, "an ambient tangent vector")));
          },
          "u"_a, "The coordinates of an ambient tangent vector.")
      .def(
          "retract",
          [](const F& f, nb::handle v) {
            return F{f.frame.retract(step(f, v)), f.shape};
          },
          "v"_a, "The frame at the point reached by moving along v.")
      .def(
          "reach", [](const F& f, nb::handle v) { return f.frame.reach(step(f, v)); }, "v"_a,
          "The fraction of v that the retraction can be trusted with.")
      .def(
          "exp",
          [](const F& f, nb::handle v) {
            return F{f.frame.exp(step(f, v)), f.shape};
          },
          "v"_a, "The frame at the end of the geodesic along v.")
      .def(
          "log", [](const F& f, const F& other) { return array(f.frame.log(other.frame)); },
          "other"_a, "Coordinates of the geodesic to another point.")
      .def(
          "distance", [](const F& f, const F& other) { return f.frame.distance(other.frame); },
          "other"_a);
  m.def(
      "euclidean",
      [](const Numbers& x) {
        require(x.shape(0) > 0, "a vector needs coordinates");
        return F{AnyFrame(Euclidean(copied(x))), coordinates(Index(x.shape(0)))};
      },
      "x"_a, "Vectors.");
  m.def(
      "sphere",
      [](const Numbers& x) {
        return F{AnyFrame(Sphere(copied(x))), coordinates(Index(x.shape(0)))};
      },
      "x"_a, "Unit vectors; x is normalised.");
  m.def(
      "oblique", [](const Rows& x) { return of_matrix(Oblique(copied(x)), x); }, "x"_a,
      "Matrices of unit columns; the columns of x are normalised.");
  m.def("stiefel", &stiefel, "x"_a, "retraction"_a = "cayley", "Orthonormal columns.");
  m.def("grassmann", &grassmann, "x"_a, "retraction"_a = "exponential",
        "Subspaces, by orthonormal columns that span them.");
  m.def(
      "fixed_rank",
      [](const Rows& x, Index rank) { return of_matrix(FixedRank(copied(x), rank), x); }, "x"_a,
      "rank"_a, "Matrices of one rank; x is taken to the nearest.");
  m.def("spd", &spd, "x"_a, "metric"_a = "affine", "Positive definite matrices.");
  m.def("gaussian", &gaussian, "mean"_a, "covariance"_a, "metric"_a = "affine",
        "Gaussians: points are the mean and then the covariance, flat.");
  m.def("product", &product, "Several frames side by side, flat, one after the other.");
  m.def("random", &random, "name"_a, "sizes"_a, "seed"_a, "At a random point, flat.");
  m.def("manifolds", &names, "(name, help, sizes) of all that random() makes.");
}

}  // namespace fisherman::python
