#include "binary_score.hpp"

#include <cmath>
#include <limits>

#include "fisherman/core/error.hpp"
#include "fisherman/io/labels.hpp"

namespace fisherman {

Fields binary_score(const ConstVectorRef& p, const std::vector<std::string>& labels,
                    const std::array<std::string, 2>& classes, const std::string& labels_where) {
  // In the log loss no row counts as less likely, as in scikit-learn: one alone would make it infinite.
  constexpr double least_probability = std::numeric_limits<double>::epsilon();
  Fields out;
  out.set("rows", p.size());
  out.set("class", classes[1]);
  if (labels.empty()) return out;
  const Vector y = binary_labels(labels, classes, labels_where);
  double loss = 0.0, right = 0.0;
  Index clipped = 0;
  for (Index i = 0; i < p.size(); ++i) {
    const double of_class = y(i) == 1.0 ? p(i) : 1.0 - p(i);
    if (of_class < least_probability) ++clipped;
    loss -= std::log(std::max(of_class, least_probability));
    right += (p(i) > 0.5) == (y(i) == 1.0) ? 1.0 : 0.0;
  }
  out.set("log_loss", loss / double(p.size()));
  if (clipped > 0)
    out.set("log_loss_note",
            sentence("The probability of the true class is below ", least_probability, " in ",
                     clipped, clipped == 1 ? " row" : " rows",
                     "; it counts as that there, because the loss would be infinite."));
  out.set("accuracy", right / double(p.size()));
  return out;
}

}  // namespace fisherman
