// A fuzzer on checkpoints: whatever the bytes, a run that can go on or a FileError.
#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/manifold/stiefel.hpp"
#include "fisherman/solve/state.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace fisherman;
using Erased = State<AnyFrame, AnyFisher>;

/// A run of each kind, a little way in.
std::vector<Erased> runs() {
  const auto gaussian = gaussian_affine(Vector::Zero(2), Matrix::Identity(2, 2));
  const Stiefel stiefel(Matrix(Matrix::Identity(4, 2)));
  std::vector<Erased> out;
  const auto add = [&](const AnyFrame& frame, const AnyFisher& fisher) {
    Erased run{frame, fisher};
    run.average = Average({.on = true});
    out.push_back(std::move(run));
  };
  add(gaussian, Dense(5, {.floor = {.level = 0.1}}));
  add(gaussian, Window(5, {.size = 3}));
  add(stiefel, Adam(5));
  const Matrix scores = Matrix::Identity(5, 2);
  for (Erased& run : out) {
    run.fisher.absorb(scores);
    run.fisher.solve(scores.col(0));
    run.fisher.absorb(scores);
    run.average.follow(run.frame, 0);
  }
  return out;
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  std::vector<std::string> out;
  for (const Erased& run : runs()) out.push_back(char(out.size()) + saved(run));
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::vector<Erased> starts = runs();
  Erased run = starts[data[0] % starts.size()];  // the first byte chooses
  try {
    restore(run, std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
    const Matrix scores = Matrix::Identity(5, 2);
    run.fisher.absorb(scores);
    const Vector step = run.fisher.solve(scores.col(1));
    if (step.allFinite()) run.frame.retract(0.01 * step / (1.0 + step.norm()));
    run.estimate();
  } catch (const FileError&) {
  } catch (
      const NotFinite&) {  // numbers that are finite and lead nowhere: the run would end with a sentence
  } catch (const Misuse&) {  // likewise: an average that is near no point
  }
  return 0;
}
