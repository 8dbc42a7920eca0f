#include "trials.hpp"

#include <iomanip>
#include <sstream>

namespace fisherman {

std::vector<Fields> trials_of(const CrossValidation& cv) {
  std::vector<Fields> out;
  for (std::size_t k = 0; k < cv.trials.size(); ++k) {
    const CrossValidation::Trial& trial = cv.trials[k];
    Fields& one = out.emplace_back();
    one.set("rank", trial.rank);
    one.set("ridge", trial.ridge);
    one.set("loss", trial.loss);
    one.set("standard_error", trial.error);
    one.set("accuracy", trial.accuracy);
    one.set("chosen", k == cv.chosen);
  }
  return out;
}

std::string trials_csv(const std::vector<Fields>& trials) {
  std::ostringstream out;
  out << "rank,ridge,loss,standard_error,accuracy,chosen\n" << std::setprecision(10);
  for (const Fields& one : trials)
    out << one.text("rank") << ',' << one.number("ridge") << ',' << one.number("loss") << ','
        << one.number("standard_error") << ',' << one.number("accuracy") << ','
        << (one.flag("chosen") ? 1 : 0) << '\n';
  return out.str();
}

std::string trials_text(const std::vector<Fields>& trials) {
  if (trials.empty()) return {};
  std::ostringstream out;
  out << std::fixed << std::setprecision(5)
      << " rank      ridge  left-out loss  standard error   accuracy\n";
  for (const Fields& one : trials)
    out << std::setw(5) << one.text("rank") << std::setw(11) << std::defaultfloat
        << one.number("ridge") << std::fixed << std::setw(15) << one.number("loss") << std::setw(16)
        << one.number("standard_error") << std::setw(11) << one.number("accuracy")
        << (one.flag("chosen") ? "  chosen" : "") << '\n';
  out << '\n';
  return out.str();
}

}  // namespace fisherman
