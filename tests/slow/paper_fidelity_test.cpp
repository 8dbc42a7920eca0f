// The printed algorithm in small and in part; tests/long/ has the whole of it.
#include "paper_fidelity.hpp"

#include "real_data.hpp"
#include "toy.hpp"

namespace fisherman::slow_paper_fidelity_test {
namespace {

using oracle::Geometry;

class PaperFidelity : public ::testing::TestWithParam<Geometry> {};

TEST_P(PaperFidelity, SmallProblemFor200Iterations) {
  const Matrix X = toy::random_matrix(80, 6, 1);
  const Vector eta = X * toy::random_vector(6, 2), noise = toy::random_vector(80, 3);
  const Vector y = (eta + noise).unaryExpr([](double x) { return x > 0.0 ? 1.0 : 0.0; });
  expect_the_papers_iterates(X, y, GetParam(), true, 200);
}

TEST_P(PaperFidelity, Wdbc) {
  const auto [X, y] = standardised(read_table(FISHERMAN_SOURCE_DIR "/data/wdbc.csv"));
  expect_the_papers_iterates(X, y, GetParam(), false, 30);
}

INSTANTIATE_TEST_SUITE_P(, PaperFidelity,
                         ::testing::Values(Geometry::euclidean, Geometry::bures_wasserstein),
                         [](const auto& each) {
                           return each.param == Geometry::euclidean ? "Euclidean"
                                                                    : "BuresWasserstein";
                         });

TEST(PaperOracle, KroneckerFactorsAreThePrintedMatrix) {
  const Matrix a = toy::random_spd(4, 1), b = a + 0.2 * toy::random_spd(4, 2);
  const Matrix H = toy::random_matrix(16, 16, 3);  // of no symmetry
  const oracle::VecTransport T(a, b);
  const Matrix there = T.printed() * H, back = H * T.printed();
  EXPECT_LT((T.times(H) - there).norm(), 1e-13 * there.norm());
  EXPECT_LT((T.before(H) - back).norm(), 1e-13 * back.norm());
}

}  // namespace
}  // namespace fisherman::slow_paper_fidelity_test
