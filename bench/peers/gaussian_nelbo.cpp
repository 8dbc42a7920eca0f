// The exact NELBO of a Gaussian that another program found for a Bayesian logistic regression.
//
//     gaussian_nelbo DATA PRIOR_VARIANCE GAUSSIAN
//
// DATA is prepared as `fisherman fit logistic --no-intercept` does it; GAUSSIAN is a CSV file of d + 1 rows without a
// header: the mean, then the covariance.
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "fisherman/fit/preparation.hpp"
#include "fisherman/fit/regression.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/model/gaussian_vb.hpp"

using namespace fisherman;

int main(int argc, char** argv) try {
  require(argc == 4, "usage: gaussian_nelbo DATA PRIOR_VARIANCE GAUSSIAN");
  const Table table = read_table(argv[1]);
  const Vector y = binary_labels(table.labels, argv[1]).y;
  ColumnSettings settings;
  settings.intercept = false;
  const auto preparation = Preparation::of(table.x, table.names, settings);
  const LogisticTarget target(preparation.design(table.x), y, std::atof(argv[2]));
  const Matrix q = read_table(argv[3], {.has_label = false, .header = false}).x;
  const Index d = target.dimension();
  require(q.rows() == d + 1 && q.cols() == d, argv[3], ": is ", q.rows(), " x ", q.cols(),
          ", but a mean and a covariance of ", d, " coefficients are ", d + 1, " x ", d);
  std::cout << std::setprecision(10)
            << GaussianVb(target).objective(gaussian_affine(q.row(0).transpose(), q.bottomRows(d)))
            << '\n';
} catch (const std::exception& e) {
  std::cerr << "gaussian_nelbo: " << e.what() << '\n';
  return 1;
}
