#include "runner.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {

namespace fs = std::filesystem;

fs::path Runner::folder_of(const Trial& trial) const {
  return store_.folder() / "trials" / std::to_string(trial.id);
}

bool Runner::run(std::vector<Trial>& trials) {
  std::error_code error;
  fs::create_directories(store_.folder() / "trials", error);
  if (error)
    throw FileError(
        sentence((store_.folder() / "trials").string(), ": cannot be made: ", error.message()));
  std::size_t next = 0;
  bool told = false;
  for (;;) {
    const bool stopping = interrupted();
    while (!stopping && next < trials.size() && crew_.has_room()) {
      Trial& trial = trials[next];
      if (!trial.ended() && enough && enough()) break;
      ++next;
      if (trial.ended())
        crew_.clear(trial, folder_of(trial));  // a kill may have come between the two
      else
        begin(trial);
    }
    if (stopping && !told) crew_.stop();
    told = stopping;
    if (crew_.is_idle()) break;
    for (Trial& back : crew_.back()) {
      if (!back.ended()) continue;  // it was cut short
      Trial& trial = *std::find_if(trials.begin(), trials.end(),
                                   [&](const Trial& one) { return one.id == back.id; });
      trial = std::move(back);
      keep(trial);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  crew_.settle();
  std::error_code ignored;
  fs::remove(store_.folder() / "trials", ignored);  // if it is empty
  return std::all_of(trials.begin(), trials.end(), [](const Trial& t) { return t.ended(); });
}

void Runner::begin(Trial& trial) {
  if (read_result(folder_of(trial), trial))
    return keep(trial);  // it ended when its study was killed
  store_.begin(trial);
  crew_.begin(trial, folder_of(trial));
}

void Runner::keep(const Trial& trial) {
  store_.finish(trial);
  crew_.clear(trial, folder_of(trial));
  if (watch) watch(trial);
}

}  // namespace fisherman::cli::study
