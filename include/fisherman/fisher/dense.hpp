// The paper's algorithm: H⁻¹ as a dense symmetric matrix, updated by low-rank identities, never
// inverted.
//
// One triangle is used, and read about once an iteration: absorb() only notes the scores, and
// solve() multiplies the matrix by scores and gradient together. The rank-b subtraction is put off
// until `fold` columns have gathered, and is then one symmetric rank-k update:
//     H⁻¹ = A − PPᵀ,   A a triangle, P the columns not folded in yet.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <type_traits>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

struct DenseOptions {
  double epsilon = 1.0;  // H₀ = εI, in the unit of one squared score; the paper's for regression
  Floor floor = {};      // see fisher.hpp
  Index fold = 32;       // columns put off before they are folded in

  std::array<double, 4> numbers() const {
    return {epsilon, floor.level, floor.decay, double(fold)};
  }
};

/// Scalar is how the operator is stored and multiplied: double, or float for half the memory.
template <class Scalar>
class BasicDense {
 public:
  static std::string type_name() {
    return std::is_same_v<Scalar, float> ? "dense-single" : "dense";
  }
  explicit BasicDense(Index dimension, DenseOptions options = {});
  BasicDense(const BasicDense& other);
  BasicDense& operator=(const BasicDense& other);
  BasicDense(BasicDense&&) noexcept;
  BasicDense& operator=(BasicDense&&) noexcept;
  ~BasicDense();

  Index dimension() const;
  /// The number of scores that H holds.
  Index count() const;
  /// Throws Misuse for a wrong size and NotFinite for a NaN; H is then as before.
  void absorb(const ConstMatrixRef& scores);
  const Vector& solve(const ConstVectorRef& g);
  /// H⁻¹ ← BᵀH⁻¹B, B the backward transport: the congruence of eq:fisher-transport.
  void carry(const Transport& forward, const Transport& backward);

  /// 𝐇⁻¹ = n·H⁻¹, written out.
  Matrix inverse();
  /// What an operator of this size takes, in bytes, with b scores an iteration.
  static double memory(Index dimension, Index scores, const DenseOptions& options = {});

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

using Dense = BasicDense<double>;
using DenseSingle = BasicDense<float>;

extern template class BasicDense<double>;
extern template class BasicDense<float>;

}  // namespace fisherman
