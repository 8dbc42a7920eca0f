// All that a run needs to go on, in one value.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fisherman/core/type_name.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/frame.hpp"
#include "fisherman/solve/averaging.hpp"
#include "fisherman/solve/newton_state.hpp"
#include "fisherman/solve/objective_history.hpp"
#include "fisherman/solve/secant.hpp"

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
  double objective = std::numeric_limits<double>::quiet_NaN();  // here, if steps are compared by it
  ObjectiveHistory history = {};                                // of its values, for stopping
  // Of descend(), for which the two means are the gradient and the natural gradient here.
  std::int64_t descending = 0;  // 1 once it has begun
  SecantPairs secants = {};
  NewtonState newton = {};  // of newton()

  /// What a checkpoint keeps besides the frame, the average and the operator: listed here and nowhere else.
  static auto numbers(auto& s) {
    return std::tie(s.seed, s.iteration, s.seconds, s.predicted, s.mean_gradient, s.mean_natural,
                    s.caution, s.rejected_in_a_row, s.rejected, s.clips, s.objective, s.history,
                    s.descending, s.secants, s.newton);
  }

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

/// The kind of a frame or an approximation as files name it, of what is inside if it is type-erased.
template <class T>
std::string kind(const T& part) {
  if constexpr (requires { part.kind(); })
    return part.kind();
  else
    return type_name<T>();
}

template <class T>
void put_field(Writer& out, const T& field) {
  if constexpr (requires { field.save(out); })
    field.save(out);
  else
    out.put(field);
}

template <class T>
void get_field(Reader& in, T& field) {
  if constexpr (requires { field.load(in); })
    field.load(in);
  else if constexpr (std::is_same_v<T, std::int64_t>)
    field = in.get_count();
  else if constexpr (std::is_arithmetic_v<T>)
    field = in.get<T>();
  else
    field = in.get_vector();
}

}  // namespace detail

/// Together, if ranks share the operator: the first has all of it.
template <Frame F, FisherApproximation H>
requires HasState<F> std::string saved(const State<F, H>& s) {
  Writer out;
  out.put(sentence(detail::kind(s.frame), " with ", detail::kind(s.fisher)));
  out.put(Vector(s.frame.state()));
  s.average.save(out);
  std::apply([&](const auto&... field) { (detail::put_field(out, field), ...); },
             State<F, H>::numbers(s));
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
  const Vector point = in.get_vector();
  Reader::expect(point.size() == Vector(s.frame.state()).size() && point.allFinite());
  Average average = s.average;
  average.load(in);
  Reader::expect(average.empty() || average.mean().size() == Vector(s.frame.point()).size());
  auto numbers = std::apply([](const auto&... field) { return std::tuple(field...); },
                            State<F, H>::numbers(s));
  std::apply([&](auto&... field) { (detail::get_field(in, field), ...); }, numbers);
  const auto& [seed, iteration, seconds, predicted, mean_gradient, mean_natural, caution,
               rejected_in_a_row, rejected, clips, objective, history, descending, secants,
               newton] = numbers;
  Reader::expect(std::isfinite(seconds) && seconds >= 0.0 && caution > 0.0 && caution <= 1.0);
  Reader::expect(mean_gradient.size() == mean_natural.size() &&
                 (mean_gradient.size() == 0 || mean_gradient.size() == s.frame.dimension()));
  Reader::expect(newton.kept.size() == 0 || newton.kept.size() == point.size());
  Reader::expect(descending <= 1 &&
                 (secants.empty() || secants.dimension() == s.frame.dimension()));
  F frame = [&] {
    try {
      return s.frame.restored(point);
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
  State<F, H>::numbers(s) = std::move(numbers);
}

}  // namespace fisherman
