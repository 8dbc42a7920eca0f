#include "fisherman/solve/start_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>

namespace fisherman {
namespace {

using Verdict = SlopeCheck::Verdict;

constexpr double agreement =
    0.02;  // relative; rounding and curvature at the best distance are far less

/// In few digits.
std::string short_text(double number) {
  std::ostringstream out;
  const double size = std::abs(number);
  if (size >= 0.01 && size < 1000.0)
    out << std::fixed << std::setprecision(2) << number;
  else
    out << std::setprecision(3) << number;
  return out.str();
}

bool agree(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

/// Differences of f over one distance.
struct Difference {
  double forward = 0.0, backward = 0.0;
  double central() const { return 0.5 * (forward + backward); }
  double gap() const { return std::abs(forward - backward); }
  /// The same slope as over a tenth of the distance. The two sides agree there, or differ by a curvature that
  /// counts a tenth: at a kink they differ as much as before, and by rounding more.
  bool goes_on_as(const Difference& shorter) const {
    return central() != 0.0 && agree(central(), shorter.central(), agreement) &&
           (shorter.gap() <= 0.1 * std::abs(shorter.central()) || shorter.gap() <= 0.3 * gap());
  }
};

/// The sentences about several slopes. Where all are off by the same factor, it is named.
StartReport judged(const std::vector<SlopeCheck>& slopes, const std::string& gradient,
                   const std::string& objective, double spread) {
  std::vector<double> ratios;
  for (const SlopeCheck& s : slopes)
    if (s.verdict == Verdict::differs) ratios.push_back(s.ratio());
  StartReport report;
  const auto agreeing = std::count_if(slopes.begin(), slopes.end(), [](const SlopeCheck& s) {
    return s.verdict == Verdict::agrees;
  });
  if (ratios.empty()) return report;
  const bool alike = agreeing == 0 && std::all_of(ratios.begin(), ratios.end(), [&](double r) {
                       return agree(r, ratios[0], spread);
                     });
  const std::string times =
      sentence("it is ", short_text(ratios[0]), " times the finite difference of the ", objective,
               " along a random direction");
  if (alike && ratios[0] < 0.0)
    report.errors.push_back(
        sentence("The ", gradient, " looks like it has the wrong sign: ", times, "."));
  else if (alike)
    report.warnings.push_back(sentence("The ", gradient, " looks wrong by a factor: ", times, "."));
  else
    report.warnings.push_back(sentence("The ", gradient, " does not match the ", objective,
                                       ": along ", ratios.size(), " of ", slopes.size(),
                                       " random directions they differ; along one, ", times, "."));
  return report;
}

}  // namespace

void StartReport::add(const StartReport& other) {
  errors.insert(errors.end(), other.errors.begin(), other.errors.end());
  warnings.insert(warnings.end(), other.warnings.begin(), other.warnings.end());
}

void StartReport::require_no_errors() const {
  std::string all;
  for (const std::string& error : errors) all += (all.empty() ? "" : " ") + error;
  if (!all.empty()) throw Misuse(all);
}

SlopeCheck check_slope(const std::function<double(double)>& f, double claimed, double error) {
  // The usual distances first: most slopes agree at the first of them.
  constexpr std::array<int, 7> exponents = {-4, -3, -5, -2, -6, -7, -8};
  SlopeCheck check{.claimed = claimed};
  if (!std::isfinite(claimed)) return check;
  const auto value = [&](double t) {
    try {
      return f(t);
    } catch (const NotFinite&) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  };
  const double here = value(0.0);
  std::array<Difference, 7> differences;  // by exponent, from -2 to -8
  for (const int e : exponents) {
    const double h = std::pow(10.0, e);
    const Difference d{(value(h) - here) / h, (here - value(-h)) / h};
    const double allowed =
        agreement * std::max(std::abs(claimed), std::abs(d.central())) + 8.0 * error;
    if (std::abs(d.central() - claimed) <= allowed) {
      check.verdict = Verdict::agrees;
      return check;
    }
    differences[std::size_t(-2 - e)] = d;
  }
  // The smallest distances over which three differences agree.
  for (std::size_t k = differences.size() - 2; k-- > 0;) {
    if (!differences[k].goes_on_as(differences[k + 1])) continue;
    if (!differences[k + 1].goes_on_as(differences[k + 2])) continue;
    check.verdict = Verdict::differs;
    check.found = differences[k + 1].central();
    return check;
  }
  return check;
}

StartReport check_target(const FunctionTarget& target, const Matrix& draws,
                         const TargetCheck& wanted) {
  const Index count = draws.cols();
  require(count >= 4, "the check of a density takes 4 draws or more, not ", count);
  StartReport report;
  Matrix slopes(draws.rows(), count);
  const Vector values = target.log_density(draws, slopes);
  std::vector<Index> finite;
  for (Index k = 0; k < count; ++k)
    if (std::isfinite(values(k)) && slopes.col(k).allFinite()) finite.push_back(k);
  const Index bad = count - Index(finite.size());
  if (finite.empty())
    report.errors.push_back(sentence("The log density is not finite at ", bad, " of ", count,
                                     " draws from where the run would start: a density that is "
                                     "never finite cannot be fitted."));
  else if (bad > 0 && wanted.everywhere)
    report.errors.push_back(sentence("The log density is not finite at ", bad, " of ", count,
                                     " draws from where the run would start."));
  if (!report.ok() || !wanted.gradients) return report;
  // Differences of draws are as long as the start is wide, in every direction.
  std::vector<SlopeCheck> found;
  Matrix ignored(draws.rows(), 1);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, finite.size()); ++i) {
    const Index k = finite[i];
    const Vector at = draws.col(k), v = draws.col((k + 1) % count) - at;
    found.push_back(
        check_slope([&](double t) { return target.log_density(Matrix(at + t * v), ignored)(0); },
                    v.dot(slopes.col(k))));
  }
  report.add(judged(found, "gradient of the log density", "log density", 0.1));
  return report;
}

namespace {

/// Among the coordinates of tangent vectors, where a frame has more than those.
Vector tangent_part(const AnyFrame& frame, const Vector& v) { return frame.lift(frame.push(v)); }

/// Gradients at several draws, one a column; those that are not finite are left out.
Matrix gradients_at(AnyModel& model, const AnyFrame& frame, std::uint64_t seed, int count) {
  Matrix out(frame.dimension(), count);
  Index good = 0;
  for (int k = 0; k < count; ++k) {
    try {
      const Vector g = model.gradient(frame, Draws(seed, std::uint64_t(k)));
      require_size(g, frame.dimension(), "the gradient");
      if (g.allFinite()) out.col(good++) = g;
    } catch (const NotFinite&) {
    }
  }
  return out.leftCols(good);
}

}  // namespace

StartReport check_model(AnyModel& model, const AnyFrame& frame, std::uint64_t seed) {
  StartReport report;
  constexpr int few = 2, several = 12;
  Matrix g = gradients_at(model, frame, seed, few);
  if (g.cols() == 0) g = gradients_at(model, frame, seed, several);
  if (g.cols() == 0) {
    report.errors.emplace_back("The gradient is not finite at the start.");
    return report;
  }
  const auto value = [&](const AnyFrame& at) {
    return model.objective(at).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  std::optional<double> here;
  try {
    here = model.objective(frame);
  } catch (const NotFinite&) {
    here = std::numeric_limits<double>::quiet_NaN();
  }
  if (!here) return report;  // nothing to compare with
  if (!std::isfinite(*here)) {
    report.errors.emplace_back("The objective is not finite at the start.");
    return report;
  }
  const bool noisy = g.cols() < 2 || g.col(0) != g.col(1);
  if (noisy) g = gradients_at(model, frame, seed, several);
  const Index n = g.cols();
  if (noisy && n < 8) return report;
  // Against the gradient, where it is plainest, and along random directions. The draws that choose a
  // direction do not also judge it.
  const Index choosing = noisy ? n / 3 : n, judging = noisy ? n - choosing : n;
  const Vector steepest = g.leftCols(choosing).rowwise().mean();
  const Matrix random = Draws(seed, ~std::uint64_t(0)).normals(0, frame.dimension(), 2);
  std::vector<SlopeCheck> found;
  for (Index k = 0; k < (noisy ? 1 : 3); ++k) {
    Vector v = tangent_part(frame, k == 0 ? steepest : Vector(random.col(k - 1)));
    if (!(v.norm() > 0.0) || !v.allFinite()) continue;
    v /= v.norm();
    const Vector slopes = g.rightCols(judging).transpose() * v;
    const double mean = slopes.mean();
    const double error = noisy ? std::sqrt((slopes.array() - mean).square().sum() /
                                           double(judging - 1) / double(judging))
                               : 0.0;
    // A unit of coordinates may be far from what the problem calls long: the point's own size is tried too.
    const double own = frame.point().norm() / std::max(frame.push(v).norm(), 1e-300);
    const auto along = [&](double unit) {
      return check_slope([&](double t) { return value(frame.retract(Vector(t * unit * v))); },
                         unit * mean, unit * error);
    };
    SlopeCheck check = along(1.0);
    if (check.verdict != Verdict::agrees && std::isfinite(own) && own > 0.0) {
      const SlopeCheck again = along(own);
      if (again.verdict != Verdict::cannot_tell) check = again;
    }
    // With noise, the objective is often that of other data too: only a factor of 2 or the sign counts.
    if (noisy && check.verdict == Verdict::differs && check.ratio() > 0.5 && check.ratio() < 2.0)
      check.verdict = Verdict::cannot_tell;
    if (check.verdict == Verdict::differs && std::abs(mean) < 8.0 * error)
      check.verdict = Verdict::cannot_tell;
    found.push_back(check);
  }
  report.add(judged(found, "gradient", "objective", 0.1));
  return report;
}

StartReport check_manifold(const AnyFrame& frame, std::uint64_t seed) {
  StartReport report;
  const Vector x = frame.point();
  const Draws draws(seed, ~std::uint64_t(0));
  const Vector E = draws.normals(1, x.size(), 1);
  Vector v = tangent_part(frame, draws.normals(2, frame.dimension(), 1));
  if (!(v.norm() > 0.0) || !v.allFinite()) return report;
  v /= v.norm();
  const Vector U = frame.push(v);
  const double size = U.norm();
  if (!(size > 0.0)) {
    report.errors.emplace_back("The manifold's push(v) is 0 for a v that is not.");
    return report;
  }
  const double transpose = frame.pull(Matrix(E)).col(0).dot(v), dot = E.dot(U);
  if (std::abs(transpose - dot) > 1e-3 * E.norm() * size)
    report.errors.push_back(
        sentence("The manifold's pull is not the transpose of its push: pull(E)·v is ",
                 short_text(transpose), ", but E·push(v) is ", short_text(dot), "."));
  try {
    const Vector still = frame.retract(Vector::Zero(v.size())).point();
    if ((still - x).norm() > 1e-4 * (size + x.norm()))
      report.errors.push_back(sentence("The manifold's retract(0) is not the point itself, but ",
                                       short_text((still - x).norm()), " away from it."));
    const auto velocity = [&](double t, double h) -> Vector {
      return (frame.retract(Vector((t + h) * v)).point() -
              frame.retract(Vector((t - h) * v)).point()) /
             (2.0 * h);
    };
    // The distance that suits best: rounding grows towards short ones, curvature towards long ones.
    double least = std::numeric_limits<double>::infinity();
    for (const double h : {1e-4, 1e-3, 1e-5, 1e-6, 1e-7})
      least = std::min(least, (velocity(0.0, h) - U).norm() / size);
    if (least > 0.05) {
      report.errors.push_back(
          sentence("The manifold's retract(tv) does not set out along push(v): its derivative at "
                   "t = 0 differs from it by ",
                   short_text(100.0 * least), "%."));
      return report;
    }
    // On its way the point must move within the tangent spaces that it meets, and about as fast as at first.
    // What is left over may also be a move among equivalent points, which keeps the norm; one that changes it
    // is suspicious. And a projection that is taken off the manifold is none: it passes what it should not, in
    // coordinates far too large.
    double t = 0.1 * std::min(1.0, x.norm() > 0.0 ? x.norm() / size : 1.0);
    t *= frame.reach(Vector(t * v));
    const AnyFrame next = frame.retract(Vector(t * v));
    const Vector W = velocity(t, 1e-3 * t), c = next.lift(W), y = next.point();
    const Vector out = W - next.push(c);
    const bool outside =
        out.norm() > 0.03 * W.norm() && std::abs(out.dot(y)) > 0.5 * out.norm() * y.norm();
    if (outside || c.norm() > 3.0)
      report.warnings.push_back(sentence(
          "The manifold's retract(v) looks like it leaves the manifold: after a step of length ",
          short_text(t), " the point does not move within the tangent space there."));
  } catch (const NotFinite&) {
    report.errors.emplace_back("The manifold's retract(v) is not finite for a short step.");
  }
  return report;
}

}  // namespace fisherman
