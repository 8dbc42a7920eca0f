// The Fisher operator in closed form, from a model that has it: model.fisher(frame).
#pragma once

#include <string>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

class Exact {
 public:
  static std::string type_name() { return "exact"; }
  explicit Exact(Index dimension) : dimension_(dimension) {}

  Index dimension() const { return dimension_; }
  void absorb(const ConstMatrixRef&) {}
  template <class Model, class Frame, class Draws>
  void learn(Model& model, const Frame& frame, const Draws&) {
    static_assert(
        requires {
          { model.fisher(frame) } -> std::convertible_to<FisherOperator>;
        },
        "Exact needs a model with fisher(frame), the Fisher operator in closed form");
    operator_ = model.fisher(frame);
  }
  Vector solve(const ConstVectorRef& g) {
    require_size(g, dimension_, "a gradient");
    require(bool(operator_.solve), "the exact Fisher operator is asked before it has seen a model");
    return operator_.solve(g);
  }
  /// It is computed anew at every point.
  void carry(const Transport&, const Transport&) {}
  void save(Writer&) const {}
  void load(Reader&) {}

 private:
  Index dimension_;
  FisherOperator operator_;
};

}  // namespace fisherman
