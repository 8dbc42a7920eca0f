#include "fisherman/fit/fisher_choice.hpp"

#include <algorithm>

#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/decorrelated.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fisher/kronecker.hpp"
#include "fisherman/fisher/window.hpp"

namespace fisherman {
namespace {

using Block = FisherOffer::Block;

/// Below this, single precision saves nothing worth having.
constexpr Index least_single = 256;

bool is_single(const FisherOffer& offer, Index size) {
  return offer.single && size >= least_single;
}

AnyFisher dense(const FisherOffer& offer, Index size, double epsilon) {
  if (is_single(offer, size)) return DenseSingle(size, {.epsilon = epsilon});
  return Dense(size, {.epsilon = epsilon});
}

AnyFisher kronecker(const FisherOffer& offer, const Block& block) {
  if (!block.matrix) return Dense(block.rows, {.epsilon = block.epsilon});
  if (offer.single && block.large)
    return KroneckerSingle(block.rows, block.cols, {.epsilon = block.epsilon});
  return Kronecker(block.rows, block.cols, {.epsilon = block.epsilon});
}

/// Large blocks as their columns.
std::vector<Block> columns_of(const FisherOffer& offer) {
  std::vector<Block> out;
  for (const Block& block : offer.blocks)
    if (block.large)
      out.insert(out.end(), std::size_t(block.cols), {block.rows, 1, block.epsilon, false, false});
    else
      out.push_back(block);
  return out;
}

std::vector<Index> sizes_of(const std::vector<Block>& blocks) {
  std::vector<Index> out;
  for (const Block& block : blocks) out.push_back(block.size());
  return out;
}

AnyFisher dense_blocks(const FisherOffer& offer, const std::vector<Block>& blocks) {
  return BlockDiagonal<AnyFisher>(sizes_of(blocks), [offer, blocks](std::size_t k) {
    return dense(offer, blocks[k].size(), blocks[k].epsilon);
  });
}

/// All but the outer products' block.
std::vector<Index> rest_of(const FisherOffer& offer) {
  std::vector<Index> out;
  Index at = 0;
  for (const Block& block : offer.blocks) {
    if (at != offer.outer->at) out.push_back(block.size());
    at += block.size();
  }
  return out;
}

AnyFisher decorrelated(const FisherOffer& offer) {
  require(
      offer.outer.has_value(),
      "--fisher decorrelated needs scores that are outer products, which this fit does not have");
  const DecorrelatedOptions options{.epsilon = offer.epsilon, .every = offer.outer_every};
  if (is_single(offer, offer.outer->rows))
    return DecorrelatedSingle(*offer.outer, rest_of(offer), options);
  return Decorrelated(*offer.outer, rest_of(offer), options);
}

double dense_memory(const FisherOffer& offer, const std::vector<Block>& blocks) {
  return BlockShares(sizes_of(blocks)).most([&](std::size_t k) {
    const Index size = blocks[k].size();
    return is_single(offer, size) ? DenseSingle::memory(size, offer.scores)
                                  : Dense::memory(size, offer.scores);
  });
}

}  // namespace

Words<FisherChoice> fisher_words() {
  using Choice = FisherChoice;
  return {{Choice::automatic, "auto"},
          {Choice::exact, "exact", "the model's own Fisher matrix, where it has a closed form"},
          {Choice::dense, "dense", "one matrix for all coordinates, from scores"},
          {Choice::blocks, "blocks", "a matrix for each block of coordinates, from scores"},
          {Choice::columns, "columns", "the same, the large block cut into its columns"},
          {Choice::decorrelated, "decorrelated",
           "the same, the columns' mean correlation taken out; for scores that are outer products"},
          {Choice::kronecker, "kronecker", "a Kronecker product for each block that is a matrix"},
          {Choice::window, "window", "the most recent scores only"},
          {Choice::identity, "identity", "none: the gradient as it is"}};
}

Index FisherOffer::dimension() const {
  Index sum = 0;
  for (const Block& block : blocks) sum += block.size();
  return sum;
}

AnyFisher make_fisher(FisherChoice choice, const FisherOffer& offer) {
  const Index d = offer.dimension();
  switch (choice) {
    case FisherChoice::exact:
      require(offer.closed_form,
              "--fisher exact needs a Fisher matrix in closed form, which this fit does not have");
      return Exact(d);
    case FisherChoice::dense:
      return dense(offer, d, offer.epsilon);
    case FisherChoice::blocks:
      return dense_blocks(offer, offer.blocks);
    case FisherChoice::columns:
      return dense_blocks(offer, columns_of(offer));
    case FisherChoice::decorrelated:
      return decorrelated(offer);
    case FisherChoice::kronecker: {
      std::vector<AnyFisher> blocks;
      for (const Block& block : offer.blocks) blocks.push_back(kronecker(offer, block));
      return BlockDiagonal<AnyFisher>(std::move(blocks));
    }
    case FisherChoice::window: {
      const WindowOptions options{
          .size = offer.window,
          .epsilon = offer.window_epsilon > 0.0 ? offer.window_epsilon : double(offer.window)};
      if (offer.factors) return FactoredWindow(*offer.factors, options);
      return Window(d, options);
    }
    case FisherChoice::identity:
      return Identity(d);
    case FisherChoice::automatic:
      break;
  }
  throw Misuse("--fisher is auto, but must have been decided");
}

double fisher_memory(FisherChoice choice, const FisherOffer& offer) {
  const Block whole{offer.dimension()};
  switch (choice) {
    case FisherChoice::dense:
      return dense_memory(offer, {whole});
    case FisherChoice::blocks:
      return dense_memory(offer, offer.blocks);
    case FisherChoice::columns:
      return dense_memory(offer, columns_of(offer));
    case FisherChoice::decorrelated:
      if (!offer.outer) return 0.0;
      return is_single(offer, offer.outer->rows)
                 ? DecorrelatedSingle::memory(*offer.outer, offer.scores)
                 : Decorrelated::memory(*offer.outer, offer.scores);
    case FisherChoice::kronecker: {
      double most = 0.0;
      for (const Block& block : offer.blocks)
        if (block.matrix)
          most = std::max(most, offer.single
                                    ? KroneckerSingle::memory(block.rows, block.cols, offer.scores)
                                    : Kronecker::memory(block.rows, block.cols, offer.scores));
      return most;
    }
    case FisherChoice::window:
      if (offer.factors) return FactoredScores::memory(*offer.factors, offer.window);
      return DenseScores::memory(offer.dimension(), offer.window);
    default:
      return 0.0;
  }
}

bool starts_from_epsilon(FisherChoice choice) {
  return choice != FisherChoice::exact && choice != FisherChoice::identity;
}

}  // namespace fisherman
