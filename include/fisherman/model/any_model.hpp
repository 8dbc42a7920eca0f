// Any model of any frame type behind one type, working on AnyFrame.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/model/model.hpp"

namespace fisherman {

class AnyModel {
 public:
  /// The model will be handed frames of type F.
  template <Frame F, Model<F> M>
  static AnyModel of(M model) {
    return AnyModel(std::make_shared<Holder<F, M>>(std::move(model)));
  }

  Vector gradient(const AnyFrame& frame, const Draws& draws) {
    return self_->gradient(frame, draws);
  }
  Matrix scores(const AnyFrame& frame, const Draws& draws) { return self_->scores(frame, draws); }
  ScoreFactors factored_scores(const AnyFrame& frame, const Draws& draws) {
    return self_->factored_scores(frame, draws);
  }
  OuterScores outer_scores(const AnyFrame& frame, const Draws& draws) {
    return self_->outer_scores(frame, draws);
  }
  /// Nothing if the model inside cannot tell.
  std::optional<double> objective(const AnyFrame& frame) { return self_->objective(frame); }
  FisherOperator fisher(const AnyFrame& frame) { return self_->fisher(frame); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Vector gradient(const AnyFrame&, const Draws&) = 0;
    virtual Matrix scores(const AnyFrame&, const Draws&) = 0;
    virtual ScoreFactors factored_scores(const AnyFrame&, const Draws&) = 0;
    virtual OuterScores outer_scores(const AnyFrame&, const Draws&) = 0;
    virtual std::optional<double> objective(const AnyFrame&) = 0;
    virtual FisherOperator fisher(const AnyFrame&) = 0;
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
    ScoreFactors factored_scores([[maybe_unused]] const AnyFrame& frame,
                                 [[maybe_unused]] const Draws& draws) override {
      if constexpr (HasFactoredScores<M, F>)
        return model.factored_scores(frame.as<F>(), draws);
      else
        throw Misuse("this model's scores have no factors; learn from them with Window");
    }
    OuterScores outer_scores([[maybe_unused]] const AnyFrame& frame,
                             [[maybe_unused]] const Draws& draws) override {
      if constexpr (HasOuterScores<M, F>)
        return model.outer_scores(frame.as<F>(), draws);
      else
        throw Misuse("this model's scores are no outer products; learn from them with Dense");
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
    M model;
  };

  explicit AnyModel(std::shared_ptr<Base> self) : self_(std::move(self)) {}
  std::shared_ptr<Base> self_;
};

}  // namespace fisherman
