// The product of any frames: numbers of all kinds (ambient, coordinates, state) stand one after the
// other, factor by factor.
#pragma once

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "fisherman/core/type_name.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman {

template <Frame... Factors>
class Product {
 public:
  static std::string type_name() {
    return sentence("product", sentence(" ", fisherman::type_name<Factors>())...);
  }
  explicit Product(Factors... factors) : factors_(std::move(factors)...) {}

  static constexpr std::size_t size = sizeof...(Factors);
  static constexpr bool embedded = (Embedded<Factors> && ...);
  template <std::size_t I>
  const auto& factor() const {
    return std::get<I>(factors_);
  }

  Index dimension() const {
    return total([](const auto& f) { return f.dimension(); });
  }
  Vector point() const {
    return joined([](const auto& f) -> Vector { return f.point(); });
  }

  Matrix pull(const ConstMatrixRef& E) const {
    require_size(E, total([](const auto& f) { return Vector(f.point()).size(); }),
                 "a gradient on a product");
    Matrix out(dimension(), E.cols());
    Index from = 0, to = 0;
    each([&](const auto& f) {
      const Index rows = Vector(f.point()).size();
      out.middleRows(to, f.dimension()) = f.pull(Matrix(E.middleRows(from, rows)));
      from += rows;
      to += f.dimension();
    });
    return out;
  }

  Vector push(const Vector& v) const {
    require_size(v, dimension(), "a tangent vector of a product");
    Index at = 0;
    return joined([&](const auto& f) -> Vector { return f.push(next_part(v, f.dimension(), at)); });
  }

  Vector lift(const Vector& U) const {
    Index at = 0;
    return joined([&](const auto& f) -> Vector {
      return fisherman::lift(f, next_part(U, Vector(f.point()).size(), at));
    });
  }

  Product retract(const Vector& v) const {
    require_size(v, dimension(), "a step on a product");
    return with_parts(v, [](const auto& f, const Vector& part) { return f.retract(part); });
  }

  /// The most cautious factor decides for all.
  double reach(const Vector& v) const {
    double least = 1.0;
    Index at = 0;
    each([&](const auto& f) {
      least = std::min(least, fisherman::reach(f, next_part(v, f.dimension(), at)));
    });
    return least;
  }
  Index clips() const {
    return total([](const auto& f) { return fisherman::clips(f); });
  }

  Product exp(const Vector& v) const requires(HasExp<Factors>&&...) {
    return with_parts(v, [](const auto& f, const Vector& part) { return f.exp(part); });
  }
  Vector log(const Product& other) const requires(HasLog<Factors>&&...) {
    return joined_pairs(other, [](const auto& a, const auto& b) -> Vector { return a.log(b); });
  }
  double distance(const Product& other) const requires(HasDistance<Factors>&&...) {
    return joined_pairs(other,
                        [](const auto& a, const auto& b) -> Vector {
                          return Vector::Constant(1, a.distance(b));
                        })
        .norm();
  }

  Transport transport_to(const Product& next) const requires(HasTransport<Factors>&&...) {
    std::vector<std::pair<Index, Transport>> parts;
    bool invertible = true;
    auto kind = Transport::Kind::identity;  // as far as all factors are
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (parts.emplace_back(factor<I>().dimension(),
                          factor<I>().transport_to(next.template factor<I>())),
       ...);
    }
    (std::make_index_sequence<size>{});
    for (const auto& [n, t] : parts) {
      invertible = invertible && bool(t.inverse_adjoint);
      kind = std::min(kind, t.kind);
    }
    const auto blockwise = [parts](Transport::Map Transport::*which) -> Transport::Map {
      return [parts, which](const ConstMatrixRef& m) {
        Matrix out(m.rows(), m.cols());
        Index at = 0;
        for (const auto& [n, t] : parts) {
          out.middleRows(at, n) = (t.*which)(m.middleRows(at, n));
          at += n;
        }
        return out;
      };
    };
    return {blockwise(&Transport::apply), blockwise(&Transport::adjoint),
            invertible ? blockwise(&Transport::inverse_adjoint) : Transport::Map{}, kind};
  }

  Vector state() const requires(HasState<Factors>&&...) {
    return joined([](const auto& f) -> Vector { return f.state(); });
  }
  Product restored(const Vector& state) const requires(HasState<Factors>&&...) {
    Index at = 0;
    return make(
        [&](const auto& f) { return f.restored(next_part(state, Vector(f.state()).size(), at)); });
  }

 private:
  template <class Body>
  void each(Body body) const {
    std::apply([&](const auto&... f) { (body(f), ...); }, factors_);
  }
  template <class Count>
  Index total(Count count) const {
    Index sum = 0;
    each([&](const auto& f) { sum += count(f); });
    return sum;
  }
  static Vector next_part(const Vector& v, Index size, Index& at) {
    at += size;
    return v.segment(at - size, size);
  }
  static void append(Vector& out, const Vector& part) {
    out.conservativeResize(out.size() + part.size());
    out.tail(part.size()) = part;
  }
  template <class Part>
  Vector joined(Part part) const {
    Vector out(0);
    each([&](const auto& f) { append(out, part(f)); });
    return out;
  }
  template <class Part>
  Vector joined_pairs(const Product& other, Part part) const {
    Vector out(0);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (append(out, part(factor<I>(), other.template factor<I>())), ...);
    }
    (std::make_index_sequence<size>{});
    return out;
  }
  template <class Make>  // braces evaluate left to right, as the running offset needs
  Product make(Make next) const {
    return std::apply([&](const auto&... f) { return Product{std::tuple<Factors...>{next(f)...}}; },
                      factors_);
  }
  template <class Step>
  Product with_parts(const Vector& v, Step step) const {
    Index at = 0;
    return make([&](const auto& f) { return step(f, next_part(v, f.dimension(), at)); });
  }
  explicit Product(std::tuple<Factors...> factors) : factors_(std::move(factors)) {}

  std::tuple<Factors...> factors_;
};

}  // namespace fisherman
