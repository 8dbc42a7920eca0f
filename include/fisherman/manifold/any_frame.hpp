// Any frame behind one type: what the command line and the bindings use, where the manifold is
// chosen at run time. It satisfies the Frame concept and the same laws.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "fisherman/core/type_name.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman {

class AnyFrame {
 public:
  static std::string type_name() { return "any"; }
  // The order matters: asked whether it is itself one of them, it would ask for ever.
  template <class F>
  requires(!std::same_as<F, AnyFrame> && Frame<F>) AnyFrame(F frame)
      : self_(std::make_shared<const Holder<F>>(std::move(frame))) {}  // NOLINT

  Index dimension() const { return self_->dimension(); }
  Vector point() const { return self_->point(); }
  Matrix pull(const Matrix& E) const { return self_->pull(E); }
  Vector push(const Vector& v) const { return self_->push(v); }
  Vector lift(const Vector& U) const { return self_->lift(U); }
  AnyFrame retract(const Vector& v) const { return self_->retract(v); }
  double reach(const Vector& v) const { return self_->reach(v); }
  Index clips() const { return self_->clips(); }

  /// What the frame inside can do besides; the functions below throw Misuse where it cannot.
  struct Abilities {
    bool reach, exp, log, distance, transport, state;
  };
  Abilities abilities() const { return self_->abilities(); }
  /// The name of the type inside, as files have it.
  std::string kind() const { return self_->kind(); }
  template <Frame F>
  bool holds() const {
    return dynamic_cast<const Holder<F>*>(self_.get()) != nullptr;
  }
  AnyFrame exp(const Vector& v) const { return self_->exp(v); }
  Vector log(const AnyFrame& other) const { return self_->log(other); }
  double distance(const AnyFrame& other) const { return self_->distance(other); }
  Transport transport_to(const AnyFrame& next) const { return self_->transport_to(next); }
  Vector state() const { return self_->state(); }
  AnyFrame restored(const Vector& state) const { return self_->restored(state); }

  /// The frame inside; throws Misuse if it is of another type. Itself, for models that take any frame.
  template <class F>
  requires(!std::same_as<F, AnyFrame> && Frame<F>) const F& as() const {
    const auto* holder = dynamic_cast<const Holder<F>*>(self_.get());
    require(holder != nullptr, "the frame is not of the type that was asked for (",
            fisherman::type_name<F>(), ")");
    return holder->frame;
  }
  template <std::same_as<AnyFrame> F>
  const AnyFrame& as() const {
    return *this;
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Index dimension() const = 0;
    virtual Vector point() const = 0;
    virtual Matrix pull(const Matrix& E) const = 0;
    virtual Vector push(const Vector& v) const = 0;
    virtual Vector lift(const Vector& U) const = 0;
    virtual AnyFrame retract(const Vector& v) const = 0;
    virtual double reach(const Vector& v) const = 0;
    virtual Index clips() const = 0;
    virtual Abilities abilities() const = 0;
    virtual std::string kind() const = 0;
    virtual AnyFrame exp(const Vector& v) const = 0;
    virtual Vector log(const AnyFrame& other) const = 0;
    virtual double distance(const AnyFrame& other) const = 0;
    virtual Transport transport_to(const AnyFrame& next) const = 0;
    virtual Vector state() const = 0;
    virtual AnyFrame restored(const Vector& state) const = 0;
  };

  template <Frame F>
  struct Holder final : Base {
    explicit Holder(F f) : frame(std::move(f)) {}
    Index dimension() const override { return frame.dimension(); }
    Vector point() const override { return frame.point(); }
    Matrix pull(const Matrix& E) const override { return frame.pull(E); }
    Vector push(const Vector& v) const override { return frame.push(v); }
    Vector lift(const Vector& U) const override { return fisherman::lift(frame, U); }
    AnyFrame retract(const Vector& v) const override { return frame.retract(v); }
    double reach(const Vector& v) const override { return fisherman::reach(frame, v); }
    Index clips() const override { return fisherman::clips(frame); }
    Abilities abilities() const override {
      return {HasReach<F>, HasExp<F>, HasLog<F>, HasDistance<F>, HasTransport<F>, HasState<F>};
    }
    std::string kind() const override { return fisherman::type_name<F>(); }
    AnyFrame exp([[maybe_unused]] const Vector& v) const override {
      if constexpr (HasExp<F>)
        return frame.exp(v);
      else
        throw Misuse("this manifold has no exponential in closed form");
    }
    Vector log([[maybe_unused]] const AnyFrame& other) const override {
      if constexpr (HasLog<F>)
        return frame.log(other.as<F>());
      else
        throw Misuse("this manifold has no logarithm in closed form");
    }
    double distance([[maybe_unused]] const AnyFrame& other) const override {
      if constexpr (HasDistance<F>)
        return frame.distance(other.as<F>());
      else
        throw Misuse("this manifold has no distance in closed form");
    }
    Transport transport_to([[maybe_unused]] const AnyFrame& next) const override {
      if constexpr (HasTransport<F>)
        return frame.transport_to(next.as<F>());
      else
        throw Misuse("this manifold has no transport but the frame's own");
    }
    Vector state() const override {
      if constexpr (HasState<F>)
        return frame.state();
      else
        throw Misuse("this frame has no state() and cannot be saved");
    }
    AnyFrame restored([[maybe_unused]] const Vector& state) const override {
      if constexpr (HasState<F>)
        return frame.restored(state);
      else
        throw Misuse("this frame has no restored() and cannot be loaded");
    }
    F frame;
  };

  std::shared_ptr<const Base> self_;
};

}  // namespace fisherman
