#include "fisherman/fisher/window.hpp"

#include "expect_laws.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/manifold/spd.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/testing/fisher_laws.hpp"
#include "psi_recursion.hpp"
#include "toy.hpp"

namespace fisherman::fisher_window_test {
namespace {

double relative(const Vector& a, const Vector& b) { return (a - b).norm() / b.norm(); }

TEST(Window, Laws) {
  const Window roomy(12, {.size = 30, .epsilon = 2.0});
  const auto all = testing::check_fisher(roomy, {.reference = testing::dense_reference(2.0)});
  EXPECT_TRUE(all.ok()) << all;
  const auto erased =
      testing::check_fisher(AnyFisher(roomy), {.reference = testing::dense_reference(2.0)});
  EXPECT_TRUE(erased.ok()) << erased;
  // A window of 7 holds the last 7 of the 18 scores.
  const auto last = [](const Matrix& scores) {
    return testing::dense_reference(2.0)(scores.rightCols(7));
  };
  const auto some =
      testing::check_fisher(Window(12, {.size = 7, .epsilon = 2.0}), {.reference = last});
  EXPECT_TRUE(some.ok()) << some;
}

TEST(Window, AFloorIsExact) {
  const auto reference = [](const Matrix& scores) {  // ε + nλ on the diagonal
    return testing::dense_reference(2.0 + 0.5 * double(scores.cols()))(scores);
  };
  const auto report = testing::check_fisher(
      Window(12, {.size = 30, .epsilon = 2.0, .floor = {.level = 0.5}}), {.reference = reference});
  EXPECT_TRUE(report.ok()) << report;
}

TEST(Window, EqualsThePaperRecursionAndADenseInverseOver2000Insertions) {
  const Index d = 60, K = 25;
  const double epsilon = 3.0;
  Window window(d, {.size = K, .epsilon = epsilon});
  oracle::PsiRecursion paper(K, epsilon);
  const Vector g = toy::random_vector(d, 1);
  double against_paper = 0.0, against_dense = 0.0;
  Matrix recent(d, K);
  for (int k = 0; k < 2000; ++k) {
    const Vector phi = toy::random_vector(d, 100 + std::uint64_t(k));
    window.absorb(phi);
    paper.insert(phi, phi);
    recent.col(k % K) = phi;
    const Vector ours = window.solve(g);
    against_paper = std::max(against_paper, relative(ours, paper.solve(g)));
    if (k >= K && k % 50 == 0)
      against_dense =
          std::max(against_dense, relative(ours, testing::dense_reference(epsilon)(recent) * g));
  }
  EXPECT_LT(against_paper, 1e-10);
  EXPECT_LT(against_dense, 1e-10);
}

// Similarity, THT⁻¹: pairs u ≠ v, because the differentiated exponential is no isometry.
TEST(Window, FollowsANonIsometricTransportAsThePaperDoes) {
  const Index K = 10;
  const SpdBuresWasserstein home(toy::random_spd(4, 2));
  SpdBuresWasserstein frame = home;
  const Index d = frame.dimension();
  Window window(d, {.size = K, .epsilon = 3.0});
  oracle::PsiRecursion paper(K, 3.0);
  Matrix H =
      3.0 * Matrix::Identity(d, d);  // H itself, carried densely, oldest scores never dropped
  Window whole(d, {.size = 200, .epsilon = 3.0});
  const Vector g = toy::random_vector(d, 3);
  double against_paper = 0.0, against_dense = 0.0, asymmetry = 0.0;
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const Vector phi = toy::random_vector(d, 200 + k);
    window.absorb(phi);
    paper.insert(phi, phi);
    const Vector ours = window.solve(g);
    against_paper = std::max(against_paper, relative(ours, paper.solve(g)));
    if (k < 150) {
      whole.absorb(phi);
      H += phi * phi.transpose();
      const Vector exact = double(k + 1) * H.partialPivLu().solve(g);
      against_dense = std::max(against_dense, relative(whole.solve(g), exact));
      asymmetry = std::max(asymmetry, (H - H.transpose()).norm() / H.norm());
    }
    const SpdBuresWasserstein next =  // out and home again, so that the walk stays well-conditioned
        k % 2 == 0 ? frame.retract(0.02 * toy::random_vector(d, 500 + k)) : home;
    const Transport forward = frame.transport_to(next), backward = next.transport_to(frame);
    window.carry(forward, backward);
    paper.transport(forward);
    if (k < 150) {
      whole.carry(forward, backward);
      const Matrix T = forward.apply(Matrix::Identity(d, d));
      H = T * H * T.inverse();
    }
    frame = next;
  }
  EXPECT_LT(against_paper, 1e-10);
  EXPECT_LT(against_dense, 1e-10);
  EXPECT_GT(asymmetry, 1e-3);  // u and v really differ
}

TEST(Window, FollowsAnIsometryWithOneSetOfVectors) {
  Sphere frame(toy::random_vector(9, 4));
  Window window(9, {.size = 5, .epsilon = 1.0});
  oracle::PsiRecursion paper(5, 1.0);
  const Vector g = toy::random_vector(9, 5);
  for (std::uint64_t k = 0; k < 40; ++k) {
    const Vector phi = frame.pull(toy::random_vector(9, 50 + k));
    window.absorb(phi);
    paper.insert(phi, phi);
    EXPECT_LT(relative(window.solve(g), paper.solve(g)), 1e-10);
    const Sphere next = frame.retract(0.1 * toy::random_vector(9, 100 + k));
    const Transport forward = frame.transport_to(next);
    window.carry(forward, next.transport_to(frame));
    paper.transport(forward);
    frame = next;
  }
}

TEST(Window, TilesOfCoordinatesAreSummed) {
  const Index d = 1300, K = 6;
  Window window(d, {.size = K, .epsilon = 3.0});
  oracle::PsiRecursion paper(K, 3.0);
  Transport shear;  // 1.25 I, and half of the last coordinate added to the first
  shear.apply = [](const ConstMatrixRef& m) {
    Matrix out = 1.25 * m;
    out.row(0) += 0.5 * m.row(m.rows() - 1);
    return out;
  };
  shear.inverse_adjoint = [](const ConstMatrixRef& m) {
    Matrix out = 0.8 * m;
    out.row(m.rows() - 1) -= 0.32 * m.row(0);
    return out;
  };
  const Vector g = toy::random_vector(d, 5);
  for (std::uint64_t k = 0; k < 30; ++k) {
    const Vector phi = toy::random_vector(d, 50 + k);
    window.absorb(phi);
    paper.insert(phi, phi);
    EXPECT_LT(relative(window.solve(g), paper.solve(g)), 1e-10) << k;
    if (k < 15) continue;  // in one set of vectors, then in two
    window.carry(shear, shear);
    paper.transport(shear);
  }
}

TEST(Window, LargeEnoughEqualsDense) {
  Window window(30, {.size = 64, .epsilon = 2.0});
  Dense dense(30, {.epsilon = 2.0});
  const Vector g = toy::random_vector(30, 6);
  for (std::uint64_t k = 0; k < 16; ++k) {
    const Matrix phi = toy::random_matrix(30, 4, 7 + k);
    window.absorb(phi);
    dense.absorb(phi);
    EXPECT_LT(relative(window.solve(g), dense.solve(g)), 1e-10);
  }
}

TEST(Window, MoreScoresThanItHoldsAtOnce) {
  Window a(5, {.size = 3, .epsilon = 1.0}), b = a;
  const Matrix phi = toy::random_matrix(5, 8, 8);
  a.absorb(phi);
  b.absorb(phi.rightCols(3));
  const Vector g = Vector::Ones(5);
  EXPECT_LT(relative(a.solve(g), b.solve(g)), 1e-13);
  EXPECT_EQ(a.count(), 3);
}

TEST(Window, Misuse) {
  expect_misuse([] { Window(5, {.size = 0}); }, "size is 0");
  expect_misuse([] { Window(5, {.size = -5}); }, "size is -5");
  expect_misuse([] { Window(-5); }, "positive dimension");
  expect_misuse([] { Window(5, {.epsilon = -1.0}); }, "epsilon is -1");
  Window w(5, {.size = 3, .epsilon = 1.0});
  expect_misuse([&] { w.absorb(Matrix::Zero(4, 1)); }, "4 rows, but must have 5");
  expect_misuse([&] { w.solve(Vector::Zero(4)); }, "4 rows, but must have 5");
  EXPECT_THROW(w.absorb(Matrix::Constant(5, 1, NAN)), NotFinite);
  EXPECT_EQ(w.count(), 0);  // nothing of it went in
  w.absorb(Matrix::Ones(5, 1));
  Transport contraction = Transport::identity();
  contraction.kind = Transport::Kind::general;
  contraction.inverse_adjoint = {};
  expect_misuse([&] { w.carry(contraction, contraction); }, "no inverse");
}

}  // namespace
}  // namespace fisherman::fisher_window_test
