// Everything that goes by a name: a line of help for it, and a factory. `fisherman list` lists it, and
// `fisherman check` holds it to the public laws (fisherman/testing/).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/model/any_model.hpp"
#include "fisherman/testing/fisher_laws.hpp"
#include "fisherman/testing/frame_laws.hpp"

namespace fisherman {

using Sizes = std::vector<Index>;

/// Something that can be made in a given size, at a random point.
template <class Example>
struct Named {
  std::string name, help;
  std::string size_names;  // what sizes mean, as "n,p"
  Sizes usual;             // the sizes to take if none are given
  std::function<Example(const Sizes&, std::uint64_t seed)> make;
};

/// A frame, what it promises, and whether the paper's transport comes with it.
struct FrameExample {
  AnyFrame frame;
  testing::FrameLawOptions laws;
  bool transport = false;
};

struct FisherExample {
  AnyFisher fisher;
  testing::FisherLawOptions laws;
};

/// A model with a frame to ask it at; several, if it has variants.
struct ModelVariant {
  std::string name;
  AnyModel model;
  AnyFrame frame;
  std::function<double(const AnyFrame&, const AnyFrame&)> kl = {};  // where it is known
  bool fisher = true;                                               // its Fisher operator is known
};
using ModelExample = std::vector<ModelVariant>;

const std::vector<Named<FrameExample>>& manifolds();
const std::vector<Named<FisherExample>>& fisher_approximations();
const std::vector<Named<ModelExample>>& models();

/// All laws that the example promises to keep.
testing::LawReport check_laws(const FrameExample& example, std::uint64_t seed);
testing::LawReport check_laws(const FisherExample& example, std::uint64_t seed);
testing::LawReport check_laws(ModelExample example, std::uint64_t seed);

}  // namespace fisherman
