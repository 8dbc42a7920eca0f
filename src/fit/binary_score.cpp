#include "binary_score.hpp"

#include <cmath>
#include <limits>

#include "fisherman/core/error.hpp"
#include "fisherman/io/labels.hpp"

namespace fisherman {

namespace {

/// `p` are the probabilities of the true classes.
void set_scores(Fields& out, const Vector& p, double right) {
  // In the log loss no row counts as less likely, as in scikit-learn: one alone would make it infinite.
  constexpr double least_probability = std::numeric_limits<double>::epsilon();
  const auto clipped = Index((p.array() < least_probability).count());
  out.set("log_loss", -p.cwiseMax(least_probability).array().log().mean());
  if (clipped > 0)
    out.set("log_loss_note",
            sentence("The probability of the true class is below ", least_probability, " in ",
                     clipped, clipped == 1 ? " row" : " rows",
                     "; it counts as that there, because the loss would be infinite."));
  out.set("accuracy", right / double(p.size()));
}

}  // namespace

Fields binary_score(const ConstVectorRef& p, const std::vector<std::string>& labels,
                    const std::array<std::string, 2>& classes, const std::string& labels_where) {
  Fields out;
  out.set("rows", p.size());
  out.set("class", classes[1]);
  if (labels.empty()) return out;
  const Vector y = binary_labels(labels, classes, labels_where);
  Vector of_class(p.size());
  double right = 0.0;
  for (Index i = 0; i < p.size(); ++i) {
    of_class(i) = y(i) == 1.0 ? p(i) : 1.0 - p(i);
    right += (p(i) > 0.5) == (y(i) == 1.0) ? 1.0 : 0.0;
  }
  set_scores(out, of_class, right);
  return out;
}

Fields class_score(const ConstMatrixRef& p, const std::vector<std::string>& labels,
                   const std::vector<std::string>& classes, const std::string& labels_where) {
  Fields out;
  out.set("rows", p.rows());
  if (labels.empty()) return out;
  const std::vector<int> y = class_labels(labels, classes, labels_where);
  Vector of_class(p.rows());
  double right = 0.0;
  for (Index i = 0; i < p.rows(); ++i) {
    Index likeliest;
    p.row(i).maxCoeff(&likeliest);
    of_class(i) = p(i, y[std::size_t(i)]);
    right += likeliest == y[std::size_t(i)] ? 1.0 : 0.0;
  }
  set_scores(out, of_class, right);
  return out;
}

}  // namespace fisherman
