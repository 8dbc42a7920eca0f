// No Fisher information at all: 𝐇⁻¹ = I, Riemannian stochastic gradient descent.
#pragma once

#include <string>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

class Identity {
 public:
  static std::string type_name() { return "identity"; }
  explicit Identity(Index dimension) : dimension_(dimension) {}

  Index dimension() const { return dimension_; }
  void absorb(const ConstMatrixRef&) {}
  const Vector& solve(const ConstVectorRef& g) {
    require_size(g, dimension_, "a gradient");
    return direction_ = g;
  }
  template <class Model, class Frame, class Draws>
  void learn(Model&, const Frame&, const Draws&) {}
  void carry(const Transport&, const Transport&) {}
  void save(Writer&) const {}
  void load(Reader&) {}

 private:
  Index dimension_;
  Vector direction_;
};

}  // namespace fisherman
