// The power of a manifold: several frames of one kind, as many as a program decides when it runs: the layers of a flow. Numbers
// of all kinds stand one after the other, as in Product.
#pragma once

#include <utility>
#include <vector>

#include "fisherman/core/type_name.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman {

template <Frame F>
class Power {
 public:
  static std::string type_name() { return sentence("power ", fisherman::type_name<F>()); }
  static constexpr bool embedded = Embedded<F>;

  /// There may be none: a point of dimension 0.
  explicit Power(std::vector<F> factors) : factors_(std::move(factors)) {}

  std::size_t size() const { return factors_.size(); }
  const F& operator[](std::size_t k) const { return factors_[k]; }

  Index dimension() const {
    return total([](const F& f) { return f.dimension(); });
  }
  Vector point() const {
    return joined([](const F& f) -> Vector { return f.point(); });
  }
  Matrix pull(const ConstMatrixRef& E) const {
    Matrix out(dimension(), E.cols());
    Index from = 0, to = 0;
    for (const F& f : factors_) {
      const Index rows = Vector(f.point()).size();
      out.middleRows(to, f.dimension()) = f.pull(Matrix(E.middleRows(from, rows)));
      from += rows;
      to += f.dimension();
    }
    require_size(E, from, "a gradient on several factors");
    return out;
  }
  Vector push(const Vector& v) const {
    Index at = 0;
    return joined([&](const F& f) -> Vector { return f.push(part(v, f.dimension(), at)); });
  }
  Vector lift(const Vector& U) const {
    Index at = 0;
    return joined([&](const F& f) -> Vector {
      return fisherman::lift(f, part(U, Vector(f.point()).size(), at));
    });
  }
  Power retract(const Vector& v) const {
    require_size(v, dimension(), "a step on several factors");
    Index at = 0;
    return mapped([&](const F& f) { return f.retract(part(v, f.dimension(), at)); });
  }
  /// The most cautious factor decides for all.
  double reach(const Vector& v) const {
    double least = 1.0;
    Index at = 0;
    for (const F& f : factors_)
      least = std::min(least, fisherman::reach(f, part(v, f.dimension(), at)));
    return least;
  }
  Index clips() const {
    return total([](const F& f) { return fisherman::clips(f); });
  }
  /// The factors' own, if all of them are the identity in coordinates; Misuse otherwise.
  Transport transport_to(const Power& next) const requires HasTransport<F> {
    for (std::size_t k = 0; k < size(); ++k)
      require(factors_[k].transport_to(next[k]).kind == Transport::Kind::identity,
              "several factors follow a transport only where it is the identity in coordinates");
    return Transport::identity();
  }
  Vector state() const requires HasState<F> {
    return joined([](const F& f) -> Vector { return f.state(); });
  }
  Power restored(const Vector& state) const requires HasState<F> {
    Index at = 0;
    return mapped(
        [&](const F& f) { return f.restored(part(state, Vector(f.state()).size(), at)); });
  }

 private:
  static Vector part(const Vector& v, Index size, Index& at) {
    at += size;
    return v.segment(at - size, size);
  }
  template <class Count>
  Index total(Count count) const {
    Index sum = 0;
    for (const F& f : factors_) sum += count(f);
    return sum;
  }
  template <class Part>
  Vector joined(Part make) const {
    std::vector<Vector> parts;
    Index rows = 0;
    for (const F& f : factors_) rows += parts.emplace_back(make(f)).size();
    Vector out(rows);
    Index at = 0;
    for (const Vector& p : parts) out.segment(at, p.size()) = p, at += p.size();
    return out;
  }
  template <class Map>
  Power mapped(Map map) const {
    std::vector<F> out;
    for (const F& f : factors_) out.push_back(map(f));
    return Power(std::move(out));
  }

  std::vector<F> factors_;
};

}  // namespace fisherman
