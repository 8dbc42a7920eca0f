// Everything that goes by a name: a line of help for it, and a factory. `fisherman list` lists it, and
// `fisherman check` holds it to the public laws (fisherman/testing/).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fit/options.hpp"
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

/// A kind of fit: what `fisherman fit` can fit, its options, and what studies of it need to know.
struct FitKind {
  std::string name, help;
  const Options& (*options)();             // with their defaults
  std::shared_ptr<Options> (*settings)();  // ones to change, which own their values
  std::string objective;                   // with its unit, as "NELBO, nats"
  /// The method that finds the exact optimum, and the options that say which problem it is and not how it is
  /// solved; empty if there is none.
  std::string reference_method;
  std::vector<std::string> problem_options;
  /// What `fisherman tune` tries by default, as "OPTION=VALUE,…; …", and what besides for methods that learn the Fisher
  /// matrix from scores.
  std::string grid, grid_of_scores;
  bool (*learns_fisher)(const std::string& method);

  bool has_reference() const { return !reference_method.empty(); }
  std::string tuning_grid(const std::string& method) const;
};

const std::vector<Named<FrameExample>>& manifolds();
const std::vector<Named<FisherExample>>& fisher_approximations();
const std::vector<Named<ModelExample>>& models();
const std::vector<FitKind>& fit_kinds();
/// Throws Misuse, naming those that there are, if there is none of this name.
const FitKind& fit_kind(const std::string& name);

/// All laws that the example promises to keep.
testing::LawReport check_laws(const FrameExample& example, std::uint64_t seed);
testing::LawReport check_laws(const FisherExample& example, std::uint64_t seed);
testing::LawReport check_laws(ModelExample example, std::uint64_t seed);

}  // namespace fisherman
