// What the law checker is asked and cannot answer.
#include "expect_laws.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "toy.hpp"

namespace fisherman::manifold_laws_test {
namespace {

/// N(μ, σ²) with Fisher's metric, without exp; its retraction is of first order.
struct HalfPlane {
  double mu, sigma;
  Vector basis() const { return sigma * Vector{{1.0, std::sqrt(0.5)}}; }
  Index dimension() const { return 2; }
  Vector point() const { return Vector{{mu, sigma}}; }
  Matrix pull(const Matrix& E) const { return basis().asDiagonal() * E; }
  Vector push(const Vector& v) const { return basis().cwiseProduct(v); }
  HalfPlane retract(const Vector& v) const {
    return {mu + sigma * v(0), sigma * std::exp(v(1) * std::sqrt(0.5))};
  }
};

TEST(FrameLaws, AnOrderThatCannotBeCheckedIsMisuse) {
  const auto metric = [](const Vector& a, const Vector& b) {
    return (a(0) * b(0) + 2.0 * a(1) * b(1)) / 4.0;
  };
  const HalfPlane frame{0.0, 2.0};
  EXPECT_TRUE(testing::check_frame(frame, {.metric = metric}).ok());
  expect_misuse([&] { testing::check_frame(frame, {.metric = metric, .order = 2}); }, "order is 2");
  expect_misuse([&] { testing::check_frame(frame, {.order = 2}); }, "embedded");
  expect_misuse([&] { testing::check_frame(frame, {.order = 3}); }, "must be 1 or 2");
  const Sphere sphere(toy::random_vector(4, 1));
  EXPECT_TRUE(testing::check_frame(sphere, {.order = 2}).ok());  // by exp
  expect_misuse([&] { testing::check_frame(sphere, {.order = 2, .exp_log = false}); }, "exp");
}

}  // namespace
}  // namespace fisherman::manifold_laws_test
