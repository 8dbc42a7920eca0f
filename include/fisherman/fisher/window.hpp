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
#pragma once

#include <array>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

struct WindowOptions {
  Index size = 200;         // K
  double epsilon = 1000.0;  // H₀ = εI, in the unit of one squared score; the paper's for its flow
  Floor floor = {};         // see fisher.hpp; exact here

  std::array<double, 4> numbers() const {
    return {double(size), epsilon, floor.level, floor.decay};
  }
};

class Window {
 public:
  explicit Window(Index dimension, WindowOptions options = {});

  Index dimension() const { return U_.rows(); }
  /// The number of scores held: at most K.
  Index count() const { return std::min(seen_, options_.size); }
  /// Throws Misuse for a wrong size and NotFinite for a NaN; H is then as before. Of more than K
  /// scores, the last K stay.
  void absorb(const ConstMatrixRef& scores);
  const Vector& solve(const ConstVectorRef& g);
  void carry(const Transport& forward, const Transport& backward);

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  void insert(const ConstMatrixRef& scores);
  void factorise();
  double epsilon() const;  // with the floor
  const Matrix& right() const { return pairs_ ? V_ : U_; }

  WindowOptions options_;
  Matrix U_, V_;   // scores; V_ is empty until a transport tells u from v
  Matrix gram_;    // VᵀU, by slot
  Matrix factor_;  // Cholesky factor of εI + gram, or its LU factors
  Eigen::VectorXi pivots_;
  Vector weights_, direction_;
  Index seen_ = 0, slot_ = 0;
  bool pairs_ = false, factorised_ = false;
};

}  // namespace fisherman
