// Checkpoints with a right checksum and wrong content: a FileError each, and never more memory than the file has bytes.
#include <gtest/gtest.h>

#include <limits>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/solve/state.hpp"

namespace fisherman::solve_forged_test {
namespace {

TEST(Reader, AMatrixIsNoVector) {
  Writer out;
  out.put(Matrix(Matrix::Ones(3, 2)));
  EXPECT_THROW(Reader(out.bytes()).get_vector(), FileError);
}

TEST(Reader, SizesAreHeldAgainstTheBytes) {
  for (const auto& [rows, cols] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {std::int64_t(1) << 62, 4}, {4, std::int64_t(1) << 62}, {-1, -1}, {1000, 1}, {2, 2}}) {
    Writer out;
    out.put(rows);
    out.put(cols);
    out.put(std::string(20, 'x'));  // 28 bytes: room for three numbers
    EXPECT_THROW(Reader(out.bytes()).get_matrix<Matrix>(), FileError) << rows << " x " << cols;
  }
}

/// Eight bytes of the saved state of `s` at a time are replaced by numbers that mean trouble: whatever is restored must
/// be able to take a step, and anything else must be a FileError.
template <class H>
void expect_survives(const State<Euclidean, H>& s, const Matrix& scores) {
  const std::string good = saved(s);
  constexpr double inf = std::numeric_limits<double>::infinity();
  Writer words;
  words.put(std::int64_t(-1));
  words.put(std::int64_t(1) << 40);
  words.put(std::numeric_limits<std::int64_t>::max());
  words.put(inf);
  words.put(std::int64_t(2));
  int refused = 0;
  for (std::size_t at = 8; at + 8 <= good.size(); ++at)
    for (std::size_t k = 0; k < words.bytes().size(); k += 8) {
      std::string forged = good;
      forged.replace(at, 8, words.bytes(), k, 8);
      State<Euclidean, H> t = s;
      try {
        restore(t, forged);
        t.fisher.absorb(scores);
        t.fisher.solve(scores.col(0));
      } catch (const FileError&) {
        ++refused;
      } catch (const NotFinite&) {
      }
    }
  EXPECT_GT(refused, 100);
}

template <class H>
State<Euclidean, H> learnt(H fisher, const Matrix& scores) {
  State<Euclidean, H> s{Euclidean(Vector::Ones(4)), std::move(fisher)};
  s.fisher.absorb(scores);
  s.fisher.solve(scores.col(0));
  s.fisher.absorb(scores);
  return s;
}

TEST(Restore, SurvivesForgedCheckpoints) {
  const Matrix scores{{1.0, 0.0, 1.0}, {0.0, 1.0, 1.0}, {1.0, 1.0, 0.0}, {0.5, 0.0, 0.0}};
  expect_survives(learnt(Dense(4, {.floor = {.level = 0.1}}), scores), scores);
  expect_survives(learnt(Window(4, {.size = 5}), scores), scores);
  expect_survives(learnt(Adam(4), scores), scores);
}

}  // namespace
}  // namespace fisherman::solve_forged_test
