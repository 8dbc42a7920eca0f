#include "fisherman/fit/summary.hpp"

#include "fisherman/core/error.hpp"

namespace fisherman {

bool FitSummary::as_asked(std::int64_t asked) const {
  return status == Status::converged || status == Status::settled ||
         (status == Status::iterations_done && asked > 0);
}

Fields fields_of(const FitSummary& s) {
  Fields out;
  out.set("status", std::string(name(s.status)));
  out.set("sentence", s.sentence);
  out.set("objective", s.objective);
  out.set("iterations", s.iterations);
  out.set("seconds", s.seconds);
  out.set("rejected", s.rejected);
  out.set("clips", s.clips);
  return out;
}

FitSummary summary_of(const Fields& result) {
  FitSummary out;
  const std::string status = result.need_text("status");
  bool known = false;
  for (const Status one :
       {Status::converged, Status::settled, Status::iterations_done, Status::time_is_up,
        Status::interrupted, Status::stalled, Status::diverged})
    if (name(one) == status) out.status = one, known = true;
  require(known, "'", status, "' is no way in which a fit can end");
  out.sentence = result.need_text("sentence");
  out.objective = result.number("objective");
  out.iterations = result.need_count("iterations");
  out.seconds = result.number("seconds");
  out.rejected = result.need_count("rejected");
  out.clips = result.need_count("clips");
  return out;
}

}  // namespace fisherman
