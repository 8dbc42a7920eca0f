// Any Fisher approximation behind one type.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/type_name.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/model/any_model.hpp"

namespace fisherman {

class AnyFisher {
 public:
  static std::string type_name() { return "any"; }
  // The order matters: asked whether it is itself one of them, it would ask for ever.
  template <class H>
  requires(!std::same_as<H, AnyFisher> && FisherApproximation<H>) AnyFisher(H fisher)
      : self_(std::make_unique<Holder<H>>(std::move(fisher))) {}  // NOLINT
  AnyFisher(const AnyFisher& other) : self_(other.self_->clone()) {}
  AnyFisher& operator=(const AnyFisher& other) {
    if (this != &other) self_ = other.self_->clone();
    return *this;
  }
  AnyFisher(AnyFisher&&) noexcept = default;
  AnyFisher& operator=(AnyFisher&&) noexcept = default;
  ~AnyFisher() = default;

  Index dimension() const { return self_->dimension(); }
  void absorb(const ConstMatrixRef& scores) { self_->absorb(scores); }
  Vector solve(const ConstVectorRef& g) { return self_->solve(g); }
  bool learn(AnyModel& model, const AnyFrame& frame, const Draws& draws) {
    return self_->learn(model, frame, draws);
  }
  void carry(const Transport& forward, const Transport& backward) {
    self_->carry(forward, backward);
  }
  bool has_momentum() const { return self_->has_momentum(); }
  bool is_spread() const { return self_->is_spread(); }
  /// The name of the type inside, as files have it.
  std::string kind() const { return self_->kind(); }
  void save(Writer& out) const {
    out.put(kind());
    self_->save(out);
  }
  void load(Reader& in) {
    Reader::expect(in.get_string() == kind());
    self_->load(in);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> clone() const = 0;
    virtual Index dimension() const = 0;
    virtual void absorb(const ConstMatrixRef& scores) = 0;
    virtual Vector solve(const ConstVectorRef& g) = 0;
    virtual bool learn(AnyModel& model, const AnyFrame& frame, const Draws& draws) = 0;
    virtual void carry(const Transport& forward, const Transport& backward) = 0;
    virtual bool has_momentum() const = 0;
    virtual bool is_spread() const = 0;
    virtual std::string kind() const = 0;
    virtual void save(Writer& out) const = 0;
    virtual void load(Reader& in) = 0;
  };

  template <FisherApproximation H>
  struct Holder final : Base {
    explicit Holder(H h) : fisher(std::move(h)) {}
    std::unique_ptr<Base> clone() const override { return std::make_unique<Holder>(fisher); }
    Index dimension() const override { return fisher.dimension(); }
    void absorb(const ConstMatrixRef& scores) override { fisher.absorb(scores); }
    Vector solve(const ConstVectorRef& g) override { return fisher.solve(g); }
    bool learn(AnyModel& model, const AnyFrame& frame, const Draws& draws) override {
      if constexpr (requires { bool(fisher.learn(model, frame, draws)); })
        return fisher.learn(model, frame, draws);
      else if constexpr (requires { fisher.learn(model, frame, draws); })
        fisher.learn(model, frame, draws);
      else
        fisher.absorb(model.scores(frame, draws));
      return true;
    }
    void carry([[maybe_unused]] const Transport& forward,
               [[maybe_unused]] const Transport& backward) override {
      if constexpr (requires { fisher.carry(forward, backward); })
        fisher.carry(forward, backward);
      else
        throw Misuse("this Fisher approximation follows no transport but the frame's own");
    }
    bool has_momentum() const override { return fisherman::has_momentum(fisher); }
    bool is_spread() const override { return fisherman::is_spread(fisher); }
    std::string kind() const override { return fisherman::type_name<H>(); }
    void save([[maybe_unused]] Writer& out) const override {
      if constexpr (requires { fisher.save(out); })
        fisher.save(out);
      else
        throw Misuse("this Fisher approximation cannot be saved");
    }
    void load([[maybe_unused]] Reader& in) override {
      if constexpr (requires { fisher.load(in); })
        fisher.load(in);
      else
        throw Misuse("this Fisher approximation cannot be loaded");
    }
    H fisher;
  };

  std::unique_ptr<Base> self_;
};

}  // namespace fisherman
