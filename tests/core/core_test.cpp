// Random numbers, packing, spectra, checkpoints.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "expect_laws.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/packing.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"
#include "toy.hpp"

namespace fisherman::core_core_test {
namespace {

TEST(Draws, DependOnTheAddressOnly) {
  const Matrix a = Draws(7, 3).normals(2, 5, 4);
  EXPECT_EQ(a, Draws(7, 3).normals(2, 5, 4));
  EXPECT_NE(a, Draws(8, 3).normals(2, 5, 4));
  EXPECT_NE(a, Draws(7, 4).normals(2, 5, 4));
  EXPECT_NE(a, Draws(7, 3).normals(1, 5, 4));
  // A longer row begins with the shorter one.
  EXPECT_EQ(Matrix(Draws(7, 3).normals(2, 5, 9).leftCols(4)), a);
  EXPECT_NE(Draws(1, std::uint64_t(1) << 40).uniforms(0, 1, 1), Draws(1, 0).uniforms(0, 1, 1));
}

// Philox4x32-10 with key 0 and counter 0 begins 6627e8d5 e169c58d (Salmon et al. 2011, known
// answers).
TEST(Draws, ArePhilox) {
  const double expected = (double(0x6627e8d5e169c58dULL >> 12) + 0.5) * 0x1p-52;
  EXPECT_EQ(Draws(0, 0).uniforms(0, 1, 1)(0), expected);
}

TEST(Draws, HaveTheRightMoments) {
  const Index count = 200000;
  const Matrix z = Draws(1, 1).normals(0, count, 1), u = Draws(1, 1).uniforms(1, count, 1);
  const double error = 1.0 / std::sqrt(double(count));  // five standard errors of each moment
  EXPECT_NEAR(z.mean(), 0.0, 5 * error);
  EXPECT_NEAR(z.array().square().mean(), 1.0, 5 * std::sqrt(2.0) * error);
  EXPECT_NEAR(z.array().pow(4).mean(), 3.0, 5 * std::sqrt(96.0) * error);
  EXPECT_NEAR(u.mean(), 0.5, 5 * error / std::sqrt(12.0));
  EXPECT_GT(u.minCoeff(), 0.0);
  EXPECT_LT(u.maxCoeff(), 1.0);
  Vector hits = Vector::Zero(7);
  for (const Index k : Draws(1, 1).integers(2, 70000, 7)) hits(k) += 1.0;
  EXPECT_LT((hits.array() - 10000.0).abs().maxCoeff(), 5 * std::sqrt(10000.0 * 6.0 / 7.0));
  expect_misuse([] { Draws(1, 1).integers(0, 1, 0); }, "bound must be positive");
}

TEST(Packing, KeepsInnerProductsAndRoundTrips) {
  const Matrix A = toy::random_matrix(5, 5, 1), B = toy::random_matrix(5, 5, 2);
  const Matrix SA = 0.5 * (A + A.transpose()), SB = 0.5 * (B + B.transpose());
  const Matrix KA = 0.5 * (A - A.transpose()), KB = 0.5 * (B - B.transpose());
  EXPECT_NEAR(svec(SA).dot(svec(SB)), (SA * SB).trace(), 1e-13);
  EXPECT_NEAR(skew_vec(KA).dot(skew_vec(KB)), (KA.transpose() * KB).trace(), 1e-13);
  EXPECT_LT((smat(svec(A), 5) - SA).norm(), 1e-14);
  EXPECT_LT((skew_mat(skew_vec(A), 5) - KA).norm(), 1e-14);
  expect_misuse([] { smat(Vector::Zero(4), 3); }, "must have 6");
}

TEST(Spectral, LyapunovGeometricMeanAndPolarSolveTheirEquations) {
  const Matrix S = toy::random_spd(5, 3), T = toy::random_spd(5, 4), U = toy::random_spd(5, 5);
  const Matrix X = lyapunov(spectrum(S), U);
  EXPECT_LT((S * X + X * S - U).norm(), 1e-12);
  const Matrix G = geometric_mean(S, T);  // the solution of G S⁻¹ G = T
  EXPECT_LT((G * S.llt().solve(G) - T).norm(), 1e-11);
  const Matrix A = toy::random_matrix(6, 3, 6), Q = polar_factor(A);
  EXPECT_LT((Q.transpose() * Q - Matrix::Identity(3, 3)).norm(), 1e-13);
  EXPECT_LT((Q.transpose() * A - A.transpose() * Q).norm(), 1e-12);
  for (const Matrix& M : {A, Matrix(A.transpose())}) {  // tall and wide
    const Qr f = thin_qr(M);
    EXPECT_LT((f.Q * f.R - M).norm(), 1e-13);
    EXPECT_LT((f.Q.transpose() * f.Q - Matrix::Identity(3, 3)).norm(), 1e-13);
    EXPECT_GT(f.R.diagonal().minCoeff(), 0.0);
    const Svd g = svd(M);
    EXPECT_LT((g.U * g.s.asDiagonal() * g.V.transpose() - M).norm(), 1e-13);
    EXPECT_GE(g.s(0), g.s(2));
  }
  EXPECT_THROW(svd(Matrix::Constant(2, 2, NAN)), NotFinite);
  EXPECT_THROW(spectrum(Matrix::Constant(2, 2, NAN)), NotFinite);
  expect_misuse([] { spectrum(Matrix::Zero(2, 3)); }, "2 x 3");
}

TEST(Spectral, RotationsAreExponentialsOfSkewMatrices) {
  for (const Index n : {1, 2, 5, 6}) {
    const Matrix skew = skew_mat(toy::random_vector(skew_size(n), 7), n) / double(n);
    Matrix series = Matrix::Identity(n, n), term = series;
    for (int k = 1; k < 40; ++k) series += term = (term * skew / double(k)).eval();
    const Matrix R = rotation_exp(skew);
    EXPECT_LT((R - series).norm(), 1e-13);
    EXPECT_LT((rotation_log(R) - skew).norm(), 1e-12);
  }
}

class CheckpointFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("fisherman-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

void expect_file_error(const std::filesystem::path& path, const std::string& part) {
  try {
    read_checkpoint(path);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const FileError& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
  }
}

TEST_F(CheckpointFile, RoundTripsBitForBitAndReplacesTheOldOne) {
  Writer out;
  out.put(1.0 / 3.0);
  out.put(toy::random_matrix(3, 2, 1));
  out.put(std::string("name"));
  out.put(std::int64_t(-5));
  const auto path = folder_ / "checkpoint";
  write_checkpoint(path, "old");
  write_checkpoint(path, out.bytes());
  Reader in(read_checkpoint(path));
  EXPECT_EQ(in.get<double>(), 1.0 / 3.0);
  EXPECT_EQ(in.get_matrix<Matrix>(), toy::random_matrix(3, 2, 1));
  EXPECT_EQ(in.get_string(), "name");
  EXPECT_EQ(in.get<std::int64_t>(), -5);
  EXPECT_TRUE(in.at_end());
  EXPECT_THROW(in.get<double>(), FileError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}),
            1);  // nothing left over
}

TEST_F(CheckpointFile, DamageIsNoticed) {
  const auto path = folder_ / "checkpoint";
  expect_file_error(path, "cannot be opened");
  write_checkpoint(path, std::string(100, 'x'));
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto put = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  };
  put(bytes.substr(0, bytes.size() - 1));
  expect_file_error(path, "checksum");
  std::string flipped = bytes;
  flipped.back() ^= 1;
  put(flipped);
  expect_file_error(path, "checksum");
  std::string newer = bytes;
  newer[8] = 9;
  put(newer);
  expect_file_error(path, "version 9");
  put("hello");
  expect_file_error(path, "not a checkpoint");
}

TEST_F(CheckpointFile, AFolderThatIsNotThereIsASentence) {
  EXPECT_THROW(write_checkpoint(folder_ / "none" / "checkpoint", "x"), FileError);
}

}  // namespace
}  // namespace fisherman::core_core_test
