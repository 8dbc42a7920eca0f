// When to stop. A criterion looks at a record and names the status to end with, or nothing;
// criteria combine with || and &&. They keep no state of their own, so a resumed run stops where it
// would have.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "fisherman/core/error.hpp"
#include "fisherman/solve/record.hpp"

namespace fisherman {

class Stop {
 public:
  using Criterion = std::function<std::optional<Status>(const Record&)>;

  Stop(Criterion criterion) : criterion_(std::move(criterion)) {}  // NOLINT: any lambda is one
  std::optional<Status> operator()(const Record& record) const { return criterion_(record); }

  /// Either; the left one's status goes first.
  friend Stop operator||(Stop a, Stop b) {
    return Stop([a = std::move(a), b = std::move(b)](const Record& r) {
      const auto first = a(r);
      return first ? first : b(r);
    });
  }
  /// Both; the status is the right one's.
  friend Stop operator&&(Stop a, Stop b) {
    return Stop([a = std::move(a), b = std::move(b)](const Record& r) {
      return a(r) ? b(r) : std::nullopt;
    });
  }

 private:
  Criterion criterion_;
};

inline Stop after_iterations(std::int64_t count) {
  require(count >= 0, "the number of iterations is ", count, ", but must not be negative");
  return Stop([count](const Record& r) {
    return r.iteration >= count ? std::optional(Status::iterations_done) : std::nullopt;
  });
}

inline Stop after_seconds(double seconds) {
  require(seconds >= 0.0, "the time limit is ", seconds, " s, but must not be negative");
  return Stop([seconds](const Record& r) {
    return r.seconds >= seconds ? std::optional(Status::time_is_up) : std::nullopt;
  });
}

/// The predicted improvement, in nats, is below the tolerance.
inline Stop when_predicted_below(double nats) {
  require(nats > 0.0, "the tolerance is ", nats, " nats, but must be positive");
  return Stop([nats](const Record& r) {
    return r.predicted >= 0.0 && r.predicted < nats ? std::optional(Status::converged)
                                                    : std::nullopt;
  });
}

/// Since half as many evaluations the objective has changed by less than the tolerance, in nats, over at
/// least `least` of them. For runs whose predicted improvement is mostly noise: an error that falls like
/// 1/s still has to fall by what the last doubling gained.
inline Stop when_doubling_gains_below(double nats, std::int64_t least = 20) {
  require(nats > 0.0, "the tolerance is ", nats, " nats, but must be positive");
  return Stop([nats, least](const Record& r) {
    return r.evaluations >= least && std::abs(r.doubling) < nats ? std::optional(Status::converged)
                                                                 : std::nullopt;
  });
}

/// Somebody (a signal handler, another thread) set the flag. The flag must outlive the run.
inline Stop when_set(const std::atomic<bool>& flag) {
  return Stop([&flag](const Record&) {
    return flag.load() ? std::optional(Status::interrupted) : std::nullopt;
  });
}

}  // namespace fisherman
