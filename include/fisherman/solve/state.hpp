// All that a run needs to go on, in one value.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

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
  double predicted = std::numeric_limits<double>::quiet_NaN();  // smoothed predicted improvement
  double caution = 1.0;  // what the step is multiplied by after trouble; 1 in good times
  std::int64_t rejected_in_a_row = 0, rejected = 0, clips = 0;

  /// The averaged point if averaging is on, otherwise the last one.
  F estimate() const { return average.empty() ? frame : nearest(frame, average.mean()); }
};

template <Frame F, FisherApproximation H>
State(F, H) -> State<F, H>;
template <Frame F, FisherApproximation H>
State(F, H, std::uint64_t) -> State<F, H>;
template <Frame F, FisherApproximation H>
State(F, H, std::uint64_t, Average) -> State<F, H>;

template <Frame F, FisherApproximation H>
requires HasState<F> std::string saved(const State<F, H>& s) {
  Writer out;
  out.put(Vector(s.frame.state()));
  s.fisher.save(out);
  s.average.save(out);
  out.put(s.seed);
  out.put(s.iteration);
  out.put(s.seconds);
  out.put(s.predicted);
  out.put(s.caution);
  out.put(s.rejected_in_a_row);
  out.put(s.rejected);
  out.put(s.clips);
  return out.bytes();
}

/// Puts `s`, a start of the same kind and size, where the saved run was. Throws FileError
/// otherwise.
template <Frame F, FisherApproximation H>
requires HasState<F>
void restore(State<F, H>& s, std::string bytes) {
  Reader in(std::move(bytes));
  const Vector numbers = in.get_vector();
  Reader::expect(numbers.size() == Vector(s.frame.state()).size());
  s.frame = s.frame.restored(numbers);
  s.fisher.load(in);
  s.average.load(in);
  s.seed = in.get<std::uint64_t>();
  s.iteration = in.get<std::int64_t>();
  s.seconds = in.get<double>();
  s.predicted = in.get<double>();
  s.caution = in.get<double>();
  s.rejected_in_a_row = in.get<std::int64_t>();
  s.rejected = in.get<std::int64_t>();
  s.clips = in.get<std::int64_t>();
  Reader::expect(in.at_end());
}

}  // namespace fisherman
