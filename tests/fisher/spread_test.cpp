// Approximations that ranks share: the bits of one process, in every direction and in what is saved, and a part of the memory.
#include "fisherman/fisher/spread.hpp"

#include <gtest/gtest.h>

#include "fisherman/core/parallel.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/decorrelated.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/fit/fisher_choice.hpp"
#include "ranks_in_threads.hpp"

namespace fisherman::fisher_spread_test {
namespace {

const std::vector<Index> block_sizes = {5, 620, 620, 9, 620, 620, 3};
constexpr Index window_size = 500, window_dimension = 2700;

BlockDiagonal<AnyFisher> blocks() {
  return {block_sizes, [](std::size_t k) -> AnyFisher {
            if (block_sizes[k] < 10) return Dense(block_sizes[k], {.epsilon = 2.0});
            return DenseSingle(block_sizes[k], {.epsilon = 2.0});
          }};
}
Decorrelated decorrelated() { return Decorrelated({4, 620, 4}, {4, 3}, {.epsilon = 2.0}); }
Window window() { return Window(window_dimension, {.size = window_size, .epsilon = 2.0}); }

std::string bytes_of(const AnyFisher& fisher) {
  Writer out;
  fisher.save(out);
  return out.bytes();
}

/// Directions of two iterations, then what is saved, then the direction of a third.
struct Course {
  std::vector<Vector> directions;
  std::string saved;
  auto fields() { return std::tie(directions, saved); }
  bool operator==(const Course&) const = default;
};

Vector stepped(AnyFisher& fisher, std::uint64_t iteration) {
  const Draws draws(3, iteration);
  fisher.absorb(draws.normals(0, fisher.dimension(), 4));
  return fisher.solve(draws.normals(1, fisher.dimension(), 1));
}

Course course(AnyFisher fisher) {
  Course out;
  for (std::uint64_t k = 0; k < 2; ++k) out.directions.push_back(stepped(fisher, k));
  out.saved = bytes_of(fisher);
  out.directions.push_back(stepped(fisher, 2));
  return out;
}

template <class Made>
void expect_the_bits_of_one_process(const Made& make) {
  const Course alone = course(make());
  for (const int ranks : {2, 3, 5})
    for (const int count : {1, 2}) {
      set_threads(count);
      on_ranks(ranks, [&](int rank) {
        AnyFisher fisher = make();
        EXPECT_TRUE(fisher.is_spread());
        const Course mine = course(fisher);
        EXPECT_EQ(mine.directions, alone.directions) << ranks << " ranks, " << count << " threads";
        if (rank == 0) {
          EXPECT_TRUE(mine.saved == alone.saved) << ranks << " ranks";
        }
        Reader in(alone.saved);
        fisher.load(in);
        EXPECT_TRUE(in.at_end());
        EXPECT_EQ(stepped(fisher, 2), alone.directions.back()) << "loaded by " << ranks;
      });
    }
  set_threads(1);
  std::string of_three;
  on_ranks(3, [&](int rank) {
    const Course mine = course(make());
    if (rank == 0) of_three = mine.saved;
  });
  on_ranks(2, [&](int) {
    AnyFisher fisher = make();
    Reader in(of_three);
    fisher.load(in);
    EXPECT_EQ(stepped(fisher, 2), alone.directions.back());
  });
}

TEST(Spread, BlocksHaveTheBitsOfOneProcess) { expect_the_bits_of_one_process(blocks); }
TEST(Spread, DecorrelatedColumnsHaveTheBitsOfOneProcess) {
  expect_the_bits_of_one_process(decorrelated);
}
TEST(Spread, AWindowHasTheBitsOfOneProcess) { expect_the_bits_of_one_process(window); }

// A transport that is no isometry, so that a window keeps pairs.
TEST(Spread, AWindowFollowsTransports) {
  Transport stretch;
  stretch.apply = [](const ConstMatrixRef& m) {
    Matrix out = 1.25 * m;
    out.row(0) += 0.5 * m.row(m.rows() - 1);
    return out;
  };
  stretch.inverse_adjoint = [](const ConstMatrixRef& m) {
    Matrix out = m / 1.25;
    out.row(m.rows() - 1) -= 0.32 * m.row(0);
    return out;
  };
  stretch.adjoint = stretch.apply;
  const auto moved = [&] {
    AnyFisher fisher = window();
    std::vector<Vector> out;
    for (std::uint64_t k = 0; k < 2; ++k) {
      out.push_back(stepped(fisher, k));
      fisher.carry(stretch, stretch);
    }
    const std::string saved = bytes_of(fisher);
    out.push_back(stepped(fisher, 2));
    return Course{out, saved};
  };
  const Course alone = moved();
  on_ranks(3, [&](int rank) {
    const Course mine = moved();
    EXPECT_EQ(mine.directions, alone.directions);
    if (rank == 0) {
      EXPECT_TRUE(mine.saved == alone.saved);
    }
  });
}

// A block that refuses its scores: the others take theirs, on any rank, and all ranks are told.
TEST(Spread, WhatGoesWrongInABlockGoesWrongOnAllRanks) {
  const auto course_with_trouble = [] {
    AnyFisher fisher = blocks();
    Vector huge = Vector::Ones(fisher.dimension());
    huge.segment(700, 3).setConstant(1e300);  // of a block in the middle, in single precision
    fisher.absorb(huge);
    EXPECT_THROW(fisher.solve(Vector::Ones(fisher.dimension())), NotFinite);
    const std::string saved = bytes_of(fisher);
    return Course{{stepped(fisher, 0)}, saved};
  };
  const Course alone = course_with_trouble();
  for (const int ranks : {2, 5})
    on_ranks(ranks, [&](int rank) {
      const Course mine = course_with_trouble();
      EXPECT_EQ(mine.directions, alone.directions);
      if (rank == 0) {
        EXPECT_TRUE(mine.saved == alone.saved);
      }
    });
}

TEST(Spread, ARankKeepsItsShare) {
  const FisherOffer offer{.blocks = {{5, 1, 1.0}, {800, 6, 1.0, true, true}},
                          .epsilon = 1.0,
                          .scores = 4,
                          .outer = OuterBlock{5, 800, 6},
                          .window = 600};
  for (const FisherChoice choice :
       {FisherChoice::columns, FisherChoice::decorrelated, FisherChoice::window}) {
    const double whole = fisher_memory(choice, offer);
    for (const int ranks : {2, 3})
      on_ranks(ranks, [&](int) {
        EXPECT_NEAR(fisher_memory(choice, offer) / whole, 1.0 / ranks, 0.2)
            << name_of(choice, fisher_words());
        EXPECT_TRUE(make_fisher(choice, offer).is_spread());
      });
  }
  on_ranks(3, [&](int rank) {
    const BlockDiagonal<AnyFisher> mine = blocks();
    EXPECT_EQ(mine.dimension(), 2497);
    std::size_t numbers = 0;  // what the others have is not even made
    for (const AnyFisher& block : mine.blocks())
      numbers += std::size_t(block.dimension() * block.dimension());
    EXPECT_LE(numbers, 2 * 620 * 620 + 9 * 9) << "rank " << rank;
    EXPECT_EQ(sum_of_ranks(std::int64_t(mine.blocks().size())), 7);
  });
}

TEST(Spread, WhatIsSmallOrOfOneLargeBlockIsEveryRanks) {
  on_ranks(3, [](int) {
    EXPECT_FALSE(Window(300, {.size = 50}).is_spread());
    const auto dense = [](std::size_t) { return Dense(1); };
    EXPECT_FALSE(BlockDiagonal<Dense>({1, 1, 1}, dense).is_spread());
    EXPECT_FALSE(BlockShares({3, 100000}).spread().in_parts());  // nobody would have less to do
    EXPECT_TRUE(BlockShares({3000, 100000, 100000}).spread().in_parts());
  });
}

TEST(Spread, APartOfAnOperatorIsOfNoUseAlone) {
  on_ranks(2, [](int) {
    AnyFisher some[] = {blocks(), window()};
    const Alone here;
    for (AnyFisher& fisher : some)
      EXPECT_THROW(fisher.absorb(Matrix::Ones(fisher.dimension(), 1)), Misuse);
  });
}

}  // namespace
}  // namespace fisherman::fisher_spread_test
