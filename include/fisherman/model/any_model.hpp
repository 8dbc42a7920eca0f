// Any model of any frame type behind one type, working on AnyFrame.
#pragma once

#include <any>
#include <concepts>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>

#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/model/model.hpp"
#include "fisherman/model/sounding.hpp"

namespace fisherman {

class AnyModel {
 public:
  using ScoreForms = EveryForm;

  /// The model will be handed frames of type F.
  template <Frame F, Model<F> M>
  static AnyModel of(M model) {
    if constexpr (std::same_as<M, AnyModel>)
      return model;
    else
      return AnyModel(std::make_shared<Holder<F, M>>(std::move(model)));
  }

  Vector gradient(const AnyFrame& frame, const Draws& draws) {
    return self_->gradient(frame, draws);
  }
  Matrix scores(const AnyFrame& frame, const Draws& draws) { return self_->scores(frame, draws); }
  /// Throws Misuse if the model inside does not offer this form.
  template <ScoreForm Form>
  Form scores(const AnyFrame& frame, const Draws& draws, As<Form>) {
    std::any found = self_->scores_as(typeid(Form), frame, draws);
    if (!found.has_value()) throw Misuse(Form::unavailable);
    return std::any_cast<Form>(std::move(found));
  }
  /// Nothing if the model inside cannot tell.
  std::optional<double> objective(const AnyFrame& frame) { return self_->objective(frame); }
  FisherOperator fisher(const AnyFrame& frame) { return self_->fisher(frame); }
  ValueAndGradient exact_value_and_gradient(const AnyFrame& frame, const Draws& draws) {
    return self_->exact_value_and_gradient(frame, draws);
  }
  // What newton() asks; all throw Misuse if the model inside cannot tell.
  Sounding sound(const AnyFrame& frame, const Draws& draws) { return self_->sound(frame, draws); }
  Vector hessian(const AnyFrame& frame, double share, std::int64_t& spent) {
    return self_->hessian(frame, share, spent);
  }
  std::optional<AnyFrame> start(std::uint64_t seed, Index n, const AnyFrame* than, double value,
                                std::int64_t& spent) {
    return self_->start(seed, n, than, value, spent);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Vector gradient(const AnyFrame&, const Draws&) = 0;
    virtual Matrix scores(const AnyFrame&, const Draws&) = 0;
    /// Empty if the model does not offer the form of this type.
    virtual std::any scores_as(const std::type_info& form, const AnyFrame&, const Draws&) = 0;
    virtual std::optional<double> objective(const AnyFrame&) = 0;
    virtual FisherOperator fisher(const AnyFrame&) = 0;
    virtual ValueAndGradient exact_value_and_gradient(const AnyFrame&, const Draws&) = 0;
    virtual Sounding sound(const AnyFrame&, const Draws&) = 0;
    virtual Vector hessian(const AnyFrame&, double, std::int64_t&) = 0;
    virtual std::optional<AnyFrame> start(std::uint64_t, Index, const AnyFrame*, double,
                                          std::int64_t&) = 0;
  };

  template <Frame F, class M>
  struct Holder final : Base {
    explicit Holder(M m) : model(std::move(m)) {}
    Vector gradient(const AnyFrame& frame, const Draws& draws) override {
      return model.gradient(frame.as<F>(), draws);
    }
    Matrix scores([[maybe_unused]] const AnyFrame& frame,
                  [[maybe_unused]] const Draws& draws) override {
      if constexpr (HasScores<M, F>)
        return model.scores(frame.as<F>(), draws);
      else
        throw Misuse("this model has no scores() to learn Fisher information from");
    }
    std::any scores_as(const std::type_info& form, const AnyFrame& frame,
                       const Draws& draws) override {
      std::any out;
      each_form(ScoreFormsOf<M>{}, [&]<class Form>(As<Form> as) {
        if constexpr (HasScoresAs<M, F, Form>)
          if (form == typeid(Form)) out = model.scores(frame.as<F>(), draws, as);
      });
      return out;
    }
    std::optional<double> objective(const AnyFrame& frame) override {
      return fisherman::objective(model, frame.as<F>());
    }
    FisherOperator fisher([[maybe_unused]] const AnyFrame& frame) override {
      if constexpr (HasFisher<M, F>)
        return model.fisher(frame.as<F>());
      else
        throw Misuse("this model has no closed form of its Fisher operator");
    }
    ValueAndGradient exact_value_and_gradient(const AnyFrame& frame, const Draws& draws) override {
      return fisherman::exact_value_and_gradient(model, frame.as<F>(), draws);
    }
    Sounding sound([[maybe_unused]] const AnyFrame& frame,
                   [[maybe_unused]] const Draws& draws) override {
      if constexpr (requires { model.sound(frame.as<F>(), draws); })
        return model.sound(frame.as<F>(), draws);
      else
        throw Misuse("this model has no soundings");
    }
    Vector hessian([[maybe_unused]] const AnyFrame& frame, [[maybe_unused]] double share,
                   [[maybe_unused]] std::int64_t& spent) override {
      if constexpr (requires { model.hessian(frame.as<F>(), share, spent); })
        return model.hessian(frame.as<F>(), share, spent);
      else
        throw Misuse("this model has no Hessians");
    }
    std::optional<AnyFrame> start([[maybe_unused]] std::uint64_t seed, [[maybe_unused]] Index n,
                                  [[maybe_unused]] const AnyFrame* than,
                                  [[maybe_unused]] double value,
                                  [[maybe_unused]] std::int64_t& spent) override {
      if constexpr (requires {
                      model.start(seed, n, static_cast<const F*>(nullptr), value, spent);
                    }) {
        std::optional<F> found =
            model.start(seed, n, than == nullptr ? nullptr : &than->as<F>(), value, spent);
        return found ? std::optional<AnyFrame>(std::move(*found)) : std::nullopt;
      } else {
        throw Misuse("this model has no starts");
      }
    }
    M model;
  };

  explicit AnyModel(std::shared_ptr<Base> self) : self_(std::move(self)) {}
  std::shared_ptr<Base> self_;
};

}  // namespace fisherman
