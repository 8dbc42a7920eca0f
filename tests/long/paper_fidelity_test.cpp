// The printed algorithm on the paper's three small data sets, 200 iterations, in both geometries. With
// T̃ as the printed d²×d² matrix, except for Sonar, where that would take an hour.
#include "paper_fidelity.hpp"

#include "real_data.hpp"

namespace fisherman::long_paper_fidelity_test {
namespace {

using oracle::Geometry;

struct Case {
  std::string file;
  Geometry geometry;
  bool materialise;
};

class PaperFidelityInFull : public ::testing::TestWithParam<Case> {};

TEST_P(PaperFidelityInFull, For200Iterations) {
  const auto path = real_data_folder() / (GetParam().file + ".csv");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << no_real_data;
  const auto [X, y] = standardised(read_table(path));
  expect_the_papers_iterates(X, y, GetParam().geometry, GetParam().materialise, 200);
}

INSTANTIATE_TEST_SUITE_P(, PaperFidelityInFull,
                         ::testing::Values(Case{"wdbc", Geometry::euclidean, true},
                                           Case{"wdbc", Geometry::bures_wasserstein, true},
                                           Case{"ionosphere", Geometry::euclidean, true},
                                           Case{"ionosphere", Geometry::bures_wasserstein, true},
                                           Case{"sonar", Geometry::euclidean, true},
                                           Case{"sonar", Geometry::bures_wasserstein, false}),
                         [](const auto& each) {
                           return each.param.file + (each.param.geometry == Geometry::euclidean
                                                         ? "_euclidean"
                                                         : "_bures_wasserstein");
                         });

}  // namespace
}  // namespace fisherman::long_paper_fidelity_test
