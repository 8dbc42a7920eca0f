#include "page_classes.hpp"

#include <cmath>

#include "fisherman/core/error.hpp"

namespace fisherman::regression_report {
namespace {

constexpr std::size_t most_classes = 30;  // for tables that have a column or a row for each

struct ClassTally {
  Matrix confusion;  // a row for each observed class, a column for each likeliest one
  Vector mean;       // of the probability of each class
  double log_loss, brier, accuracy;

  ClassTally(const Matrix& p, const Vector& y) {
    const Index K = p.cols(), n = p.rows();
    confusion = Matrix::Zero(K, K);
    mean = p.colwise().mean();
    log_loss = brier = 0.0;
    for (Index i = 0; i < n; ++i) {
      Index likeliest;
      p.row(i).maxCoeff(&likeliest);
      const auto observed = Index(y(i));
      confusion(observed, likeliest) += 1.0;
      log_loss -= std::log(p(i, observed)) / double(n);
      brier += (p.row(i).squaredNorm() - 2.0 * p(i, observed) + 1.0) / double(n);
    }
    accuracy = confusion.trace() / double(n);
  }
};

Grid confusion_grid(const ClassTally& tally, const std::vector<std::string>& classes) {
  Grid grid{{{"observed"}}, {}};
  for (const std::string& name : classes) grid.columns.push_back({"likeliest: " + name, true});
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Grid::Row row{{Cell(classes[k])}};
    for (std::size_t l = 0; l < classes.size(); ++l)
      row.cells.emplace_back(figure(tally.confusion(Index(k), Index(l)), 10));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

Grid shares_grid(const ClassTally& tally, const std::vector<std::string>& classes) {
  Grid grid{{{"class"}, {"rows", true}, {"share of rows", true}, {"mean probability", true}}, {}};
  const double n = tally.confusion.sum();
  for (std::size_t k = 0; k < std::min(classes.size(), most_classes); ++k) {
    const double rows = tally.confusion.row(Index(k)).sum();
    grid.rows.push_back({{Cell(classes[k]), Cell(figure(rows, 10)), Cell(fixed(rows / n, 4)),
                          Cell(fixed(tally.mean(Index(k)), 4))}});
  }
  return grid;
}

}  // namespace

Section classes_section(const RegressionFits& fits) {
  Section section("Classes");
  section.paragraph(
      "On the training data, which the fit has seen: on new rows it will look worse. fisherman "
      "predict tells log loss and accuracy on those.");
  Grid scores{{{"run"}, {"log loss", true}, {"Brier score", true}, {"accuracy", true}}, {}};
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const ReportedProblem& problem = fits.problems.of(k);
    const std::string& name = fits.runs[k].name;
    if (!problem.target) {
      section.paragraph(sentence(fits.alone() ? "" : "'" + name + "': ", problem.data_missing),
                        Tone::mind);
      continue;
    }
    const RegressionFitted& fit = fits.model(k);
    const RegressionTarget rows = problem.rows();
    const ClassTally tally(class_probabilities(rows.design(), fit.q, rows.predictors()).mean,
                           rows.outcomes().y);
    if (fits.alone()) {
      section.figures({{"log loss", Cell(fixed(tally.log_loss, 4))},
                       {"Brier score", Cell(fixed(tally.brier, 4))},
                       {"accuracy", Cell(fixed(tally.accuracy, 4))}});
      if (fit.classes.size() <= most_classes)
        section.paragraph("How many rows of each class have which class as the likeliest:")
            .table(confusion_grid(tally, fit.classes));
      return section.paragraph("How often each class occurs, and its mean probability:")
          .table(shares_grid(tally, fit.classes));
    }
    scores.rows.push_back({{Cell(name), Cell(fixed(tally.log_loss, 4)), Cell(fixed(tally.brier, 4)),
                            Cell(fixed(tally.accuracy, 4))},
                           false,
                           int(k)});
  }
  return scores.rows.empty() ? section : section.table(scores);
}

}  // namespace fisherman::regression_report
