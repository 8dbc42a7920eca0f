// Limited memory: H = εI + ΦΦᵀ for the K most recent scores Φ, in O(dK) numbers.
//
// The paper keeps ψ-vectors and updates them recursively (eq:inv-moving-approximation and the
// appendix appendix:vectorized-fisher). We keep the scores themselves and the K×K matrix ΦᵀΦ:
//     H⁻¹g = (g − Φ(εI + ΦᵀΦ)⁻¹Φᵀg)/ε.
// Adding b scores is one product and a small Cholesky factorisation, and nothing drifts. The
// paper's recursion is the oracle in the tests; both agree to 1e-10.
//
// Under a transport T that is no isometry the appendix carries H by similarity, THT⁻¹, which keeps
// εI but makes H unsymmetric: a score becomes a pair (u, v) = (Tφ, T⁻ᵀφ), and H = εI + UVᵀ.
// (Section 4, and Dense, carry by congruence; the two differ unless T is an isometry.)
//
// Nothing here needs a score as a column: the window asks for inner products and combinations, and
// `fisher/score_store.hpp` says how scores are kept. Window keeps columns; FactoredWindow keeps factors,
// and takes them from a model that offers ScoreFactors (score_form.hpp).
#pragma once

#include <array>
#include <string>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/fisher/score_form.hpp"
#include "fisherman/fisher/score_store.hpp"

namespace fisherman {

struct WindowOptions {
  Index size = 200;         // K
  double epsilon = 1000.0;  // H₀ = εI, in the unit of one squared score; the paper's for its flow
  Floor floor = {};         // see fisher.hpp; exact here

  std::array<double, 4> numbers() const {
    return {double(size), epsilon, floor.level, floor.decay};
  }
};

template <ScoreStore Store>
class BasicWindow {
 public:
  static std::string type_name() { return dense ? "window" : "factored-window"; }
  static constexpr bool dense = std::same_as<Store, DenseScores>;

  explicit BasicWindow(typename Store::Shape shape, WindowOptions options = {});

  Index dimension() const { return store_.dimension(); }
  /// The number of scores held: at most K.
  Index count() const { return std::min(seen_, options_.size); }
  /// Throws Misuse for a wrong size and NotFinite for a NaN; H is then as before. Of more than K
  /// scores, the last K stay.
  void absorb(const typename Store::Block& scores);
  template <std::convertible_to<ConstMatrixRef> Columns>
  requires(!dense) void absorb(const Columns&) {
    throw Misuse("this window keeps factored scores; columns of numbers are for Window");
  }
  template <class Model, class Frame, class Draws>
  requires(!dense) void learn(Model& model, const Frame& frame, const Draws& draws) {
    absorb(scores_as<typename Store::Block>(model, frame, draws));
  }
  const Vector& solve(const ConstVectorRef& g);
  void carry(const Transport& forward, const Transport& backward);

  bool is_spread() const {
    if constexpr (dense) return store_.is_spread();
    return false;
  }
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  void insert(const typename Store::Block& scores, Index from, Index count);
  void factorise();
  double epsilon() const;  // with the floor

  WindowOptions options_;
  Store store_;
  Matrix gram_;    // VᵀU, by slot
  Matrix factor_;  // Cholesky factor of εI + gram, or its LU factors
  Eigen::VectorXi pivots_;
  Vector weights_, direction_;
  Index seen_ = 0, slot_ = 0;
  bool factorised_ = false;
};

using Window = BasicWindow<DenseScores>;
using FactoredWindow = BasicWindow<FactoredScores>;

extern template class BasicWindow<DenseScores>;
extern template class BasicWindow<FactoredScores>;

}  // namespace fisherman
