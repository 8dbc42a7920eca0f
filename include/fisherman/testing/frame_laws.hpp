// The laws of a frame (manifold/frame.hpp), checked numerically at one point. One line tests a manifold
// of your own:
//
//     auto report = fisherman::testing::check_frame(MyFrame(...));
//     if (!report.ok()) std::cerr << report;
//
// Any frame converts to AnyFrame, so the laws are checked through the type-erased form, and hold for
// both or for neither.
#pragma once

#include <cstdint>
#include <functional>

#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/testing/law_report.hpp"

namespace fisherman::testing {

struct FrameLawOptions {
  /// The metric, as a function of two ambient tangent vectors at the frame's point. Without it,
  /// isometry is not checked.
  std::function<double(const Vector&, const Vector&)> metric = {};
  /// The metric is the ambient dot product: isometry is checked with it, and the order of the
  /// retraction by its acceleration.
  bool embedded = false;
  /// What the retraction claims: 1, or 2 (checked against exp, or by the acceleration if embedded; Misuse
  /// where there is neither, as `metric` alone does not tell).
  int order = 1;
  /// exp and log exist here (a manifold may have them in special cases only).
  bool exp_log = true;
  std::uint64_t seed = 1;
  double step = 0.1;  // the length of test steps, in coordinates
};

/// Laws 1 and 2: pull is push's transpose, lift its inverse; coordinates measure lengths.
LawReport check_coordinates(const AnyFrame& frame, const FrameLawOptions& options = {});

/// Laws 3 and 4: the retraction has the right value, derivative and order, and the frame moves
/// continuously with it.
LawReport check_retraction(const AnyFrame& frame, const FrameLawOptions& options = {});

/// exp, log and distance agree with each other, where they exist.
LawReport check_exp_log(const AnyFrame& frame, const FrameLawOptions& options = {});

/// The paper's transport to a point that retract() reaches: linear, the identity for no step, with the
/// right adjoint and inverse adjoint, and an isometry if it says so.
LawReport check_transport(const AnyFrame& frame, const FrameLawOptions& options = {});

/// A frame made from a saved state is the same frame, bit for bit, and steps to the same place.
LawReport check_state(const AnyFrame& frame, const FrameLawOptions& options = {});

/// The frame is continuous along a path t ↦ frame, 0 ≤ t ≤ 1, made point by point: with ten times as many
/// steps its largest jump shrinks about ten times. For frames that are functions of the point.
LawReport check_path(const std::function<AnyFrame(double)>& path, Index steps = 100);

/// All of them, except transports, which a manifold may offer for one retraction only.
LawReport check_frame(const AnyFrame& frame, const FrameLawOptions& options = {});

}  // namespace fisherman::testing
