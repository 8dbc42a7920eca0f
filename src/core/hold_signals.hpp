// Signals that wait.
#pragma once

#include <pthread.h>

#include <csignal>

namespace fisherman {

/// While it lives, SIGINT, SIGTERM and SIGHUP wait as far as this thread is concerned, and so they do in threads that
/// it starts.
class HoldSignals {
 public:
  HoldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;
  ~HoldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace fisherman
