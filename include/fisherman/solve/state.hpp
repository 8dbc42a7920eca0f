// All that a run needs to go on, in one value.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/frame.hpp"
#include "fisherman/solve/averaging.hpp"

namespace fisherman {

template <Frame F, FisherApproximation H>
struct State {
  F frame;                 // the point θ, seen from itself
  H fisher;                // the operator, at that point
  std::uint64_t seed = 1;  // with the iteration, the address of every random number
  Average average = {};
  std::int64_t iteration = 0;                                   // s: steps tried so far
  double seconds = 0.0;                                         // spent so far, over all resumes
  double predicted = std::numeric_limits<double>::quiet_NaN();  // predicted improvement
  Vector mean_gradient = {}, mean_natural = {};                 // that it is predicted from
  double caution = 1.0;  // what the step is multiplied by after trouble; 1 in good times
  std::int64_t rejected_in_a_row = 0, rejected = 0, clips = 0;
  double objective = std::numeric_limits<double>::quiet_NaN();  // here; known if the run descends
  std::vector<double> objectives = {};  // every value of the objective so far, for stopping

  /// The averaged point if averaging is on, otherwise the last one.
  F estimate() const { return average.empty() ? frame : nearest(frame, average.mean()); }
  /// What it would be after a step to `next`.
  F estimate_at(const F& next) const {
    Average then = average;
    then.follow(next, iteration);
    return then.empty() ? next : nearest(next, then.mean());
  }
};

template <Frame F, FisherApproximation H>
State(F, H) -> State<F, H>;
template <Frame F, FisherApproximation H>
State(F, H, std::uint64_t) -> State<F, H>;
template <Frame F, FisherApproximation H>
State(F, H, std::uint64_t, Average) -> State<F, H>;

namespace detail {
/// What kind of frame or approximation it is, inside a type-erased one too; for comparison only.
template <class T>
std::string kind(const T& part) {
  if constexpr (requires { part.kind(); })
    return part.kind();
  else
    return typeid(T).name();
}
}  // namespace detail

template <Frame F, FisherApproximation H>
requires HasState<F> std::string saved(const State<F, H>& s) {
  Writer out;
  out.put(sentence(detail::kind(s.frame), " with ", detail::kind(s.fisher)));
  out.put(Vector(s.frame.state()));
  s.average.save(out);
  out.put(s.seed);
  out.put(s.iteration);
  out.put(s.seconds);
  out.put(s.predicted);
  out.put(s.mean_gradient);
  out.put(s.mean_natural);
  out.put(s.caution);
  out.put(s.rejected_in_a_row);
  out.put(s.rejected);
  out.put(s.clips);
  out.put(s.objective);
  out.put(Vector(Eigen::Map<const Vector>(s.objectives.data(), Index(s.objectives.size()))));
  s.fisher.save(out);
  return out.bytes();
}

/// Puts `s`, a start of the same kind, size and options, where the saved run was. Throws FileError
/// otherwise, and `s` is as before. The model and the step rule are the caller's to keep the same.
template <Frame F, FisherApproximation H>
requires HasState<F>
void restore(State<F, H>& s, std::string bytes) {
  Reader in(std::move(bytes));
  Reader::expect(in.get_string() ==
                 sentence(detail::kind(s.frame), " with ", detail::kind(s.fisher)));
  const Vector numbers = in.get_vector();
  Reader::expect(numbers.size() == Vector(s.frame.state()).size() && numbers.allFinite());
  Average average = s.average;
  average.load(in);
  Reader::expect(average.empty() || average.mean().size() == Vector(s.frame.point()).size());
  const auto seed = in.get<std::uint64_t>();
  const auto iteration = in.get_count();
  const auto seconds = in.get<double>(), predicted = in.get<double>();
  Reader::expect(std::isfinite(seconds) && seconds >= 0.0);
  const Vector mean_gradient = in.get_vector(), mean_natural = in.get_vector();
  Reader::expect(mean_gradient.size() == mean_natural.size() &&
                 (mean_gradient.size() == 0 || mean_gradient.size() == s.frame.dimension()));
  const auto caution = in.get<double>();
  Reader::expect(caution > 0.0 && caution <= 1.0);
  const auto in_a_row = in.get_count(), rejected = in.get_count(), clips = in.get_count();
  const auto objective = in.get<double>();
  const Vector objectives = in.get_vector();
  F frame = [&] {
    try {
      return s.frame.restored(numbers);
    } catch (const Misuse& e) {  // numbers that are no point of the manifold
      throw FileError(sentence("the checkpoint does not hold a point: ", e.what()));
    } catch (const NotFinite& e) {
      throw FileError(sentence("the checkpoint does not hold a point: ", e.what()));
    }
  }();
  s.fisher.load(in);  // compares sizes and options before it changes anything
  Reader::expect(in.at_end());
  s.frame = std::move(frame);
  s.average = std::move(average);
  s.seed = seed;
  s.iteration = iteration;
  s.seconds = seconds;
  s.predicted = predicted;
  s.mean_gradient = mean_gradient;
  s.mean_natural = mean_natural;
  s.caution = caution;
  s.rejected_in_a_row = in_a_row;
  s.rejected = rejected;
  s.clips = clips;
  s.objective = objective;
  s.objectives.assign(objectives.data(), objectives.data() + objectives.size());
}

}  // namespace fisherman
