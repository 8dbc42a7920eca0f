// A Stan program with its data, compiled with BridgeStan's C interface (version 2) into a shared library.
//
//   StanModel model("eight_schools_model.so", "eight_schools.json", 1);
//   Vector gradient;
//   const double log_density = model.log_density(Vector::Zero(model.dimension()), gradient);
//
// To load a library is to run its code: load only what you trust.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fisherman/core/types.hpp"

namespace fisherman {

/// "beta.1.2" as people write it, "beta[1,2]"; parts of a tuple, "p.1:2", become "p[1].2".
std::string stan_name_with_brackets(const std::string& name);

/// Copies are cheap and share the model, its counts included.
class StanModel {
 public:
  /// `data` is the path of a JSON file, packed with gzip or not; or JSON text, which begins with a brace; or empty.
  /// Throws Misuse if there is no such file, if it is no library of BridgeStan 2, or if the data are wrong, in Stan's
  /// own words.
  StanModel(const std::filesystem::path& library, const std::string& data, std::uint32_t seed);

  std::string name() const;
  /// Of the unconstrained parameters.
  Index dimension() const;
  /// Of the parameters, and of the transformed parameters and generated quantities if they are asked for, in Stan's
  /// order: "beta[1,2]". `dotted_names` are those of CmdStan's CSV files: "beta.1.2".
  std::vector<std::string> names(bool transformed, bool generated) const;
  std::vector<std::string> dotted_names(bool transformed, bool generated) const;
  std::vector<std::string> unconstrained_names() const;
  /// Whether the library was compiled so that several threads may compute at once. Otherwise they take turns.
  bool threads() const;

  /// With all constants and with the Jacobian of the constraints. Minus infinity, and a gradient of zeros, where the
  /// program throws an exception or where something is not a number; such points are counted.
  double log_density(const Vector& u, Vector& gradient) const;

  /// The values of names(transformed, generated). Random numbers of generated quantities depend on the model's seed
  /// and the draw's only. If Stan throws an exception, what is not known is NaN, and the draw is counted.
  Vector constrained(const Vector& u, bool transformed, bool generated,
                     std::uint64_t seed_of_draw) const;

  /// Of the parameters in a JSON text or file, as a user writes initial values. Throws Misuse in Stan's own words.
  Vector unconstrained(const std::string& json) const;

  struct Failures {
    std::int64_t calls = 0;            // of log_density
    std::int64_t failed = 0;           // of these
    std::int64_t undefined_draws = 0;  // calls of constrained in which Stan threw an exception
    std::string first;                 // what Stan said about the first
  };
  Failures failures() const;

 private:
  struct Loaded;
  std::shared_ptr<Loaded> loaded_;
};

}  // namespace fisherman
