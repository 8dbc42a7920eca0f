// What may be wrong with a user's model, density or manifold, looked for where a run starts: a gradient of
// the wrong sign ends in nonsense after minutes, and is found by a few differences at once.
//
// A slope is compared with central differences of the objective at several distances. It passes if it agrees
// at any of them. It fails only if the differences agree among themselves, over a factor of a hundred, on
// something else: kinks, rounding (float32 too) and flat places make them disagree, and then nothing is said.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/model/any_model.hpp"
#include "fisherman/model/target.hpp"

namespace fisherman {

/// What looks wrong, as sentences: with an error a run makes no sense, a warning may have its reasons.
struct StartReport {
  std::vector<std::string> errors, warnings;

  bool ok() const { return errors.empty() && warnings.empty(); }
  void add(const StartReport& other);
  /// Throws Misuse with the errors, if there are any.
  void require_no_errors() const;
};

/// A slope that is claimed, beside what differences say.
struct SlopeCheck {
  enum class Verdict { agrees, differs, cannot_tell };
  Verdict verdict = Verdict::cannot_tell;
  double claimed = 0.0, found = 0.0;  // found: where the verdict is `differs`
  double ratio() const { return claimed / found; }
};

/// The slope at 0 of f, which is asked at distances from 1e-2 to 1e-8, in units of its argument. `error` is
/// one standard error of what is claimed.
SlopeCheck check_slope(const std::function<double(double)>& f, double claimed, double error = 0.0);

/// A log density and its gradient. The columns of `draws` are draws of where the run starts, four or more. The gradient is
/// checked at the first that are finite, towards other draws.
struct TargetCheck {
  bool everywhere = true;  // it must be finite at all draws; otherwise at one of them
  bool gradients = true;   // they are used, and so they are checked
};
StartReport check_target(const FunctionTarget& target, const Matrix& draws,
                         const TargetCheck& wanted = {});

/// A model's gradient beside its objective, if it has one. A gradient with noise is averaged over draws, and
/// only a difference far beyond its error counts.
StartReport check_model(AnyModel& model, const AnyFrame& frame, std::uint64_t seed = 1);

/// That retract(0) is the point, that retract(tv) sets out along push(v) and arrives in the tangent space
/// there, and that pull is push's transpose. testing/frame_laws.hpp checks all laws, and takes longer.
StartReport check_manifold(const AnyFrame& frame, std::uint64_t seed = 1);

}  // namespace fisherman
