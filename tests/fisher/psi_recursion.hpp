// The paper's limited-memory recursion (eq:inv-H-sum and what follows it in
// appendix:vectorized-fisher), line by line: the oracle for Window. Newest first.
#pragma once

#include <deque>

#include "fisherman/manifold/transport.hpp"

namespace fisherman::oracle {

class PsiRecursion {
 public:
  PsiRecursion(Index window, double epsilon) : window_(window), epsilon_(epsilon) {}

  void insert(const Vector& u0, const Vector& v0) {
    if (Index(terms_.size()) == window_) terms_.pop_back();
    Vector z = u0 / epsilon_, z_star = v0 / epsilon_;
    const Term head{1.0 / (1.0 + v0.dot(z)), z, z_star};
    for (Term& t : terms_) {
      const double d = 1.0 / (1.0 + v0.dot(z));
      const double v_mu = v0.dot(t.mu), u_nu = u0.dot(t.nu);
      const Term old = t;
      t.mu = old.mu - d * v_mu * z;
      t.nu = old.nu - d * u_nu * z_star;
      t.c = 1.0 / (1.0 / old.c - d * u_nu * v_mu);
      z -= old.c * u_nu * old.mu;
      z_star -= old.c * v_mu * old.nu;
    }
    terms_.push_front(head);
  }

  void transport(const Transport& t) {
    for (Term& term : terms_) {
      term.mu = t.apply(term.mu);
      term.nu = t.inverse_adjoint(term.nu);
    }
  }

  /// 𝐇⁻¹g
  Vector solve(const Vector& g) const {
    Vector out = g / epsilon_;
    for (const Term& t : terms_) out -= t.c * t.nu.dot(g) * t.mu;
    return double(terms_.size()) * out;
  }

 private:
  struct Term {
    double c;
    Vector mu, nu;
  };
  Index window_;
  double epsilon_;
  std::deque<Term> terms_;
};

}  // namespace fisherman::oracle
