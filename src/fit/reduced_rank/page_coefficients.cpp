// What the coefficients of a reduced-rank fit say: components, classes and features in one picture, tables.
#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "page.hpp"

namespace fisherman::reduced_rank_report {

using namespace report;  // NOLINT: the parts of a page

namespace {

constexpr Index most_pictures = 10;

/// The side of a square image, if the features are pixels of one; otherwise 0.
Index image_side(const ReducedRankFitted& model) {
  const auto side = Index(std::lround(std::sqrt(double(model.map.names.size()))));
  return model.scaling == "pixel" && side >= 4 && side * side == Index(model.map.names.size())
             ? side
             : 0;
}

/// Numbers of the rows of largest norm, largest first.
std::vector<Index> largest_rows(const Matrix& m, Index most) {
  const Vector size = m.rowwise().norm();
  std::vector<Index> order(std::size_t(m.rows()));
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = Index(j);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size(a) > size(b); });
  order.resize(std::size_t(std::min(most, m.rows())));
  return order;
}

}  // namespace

Section spectrum_section(const Fits& fits) {
  Section section("Singular values");
  Chart chart{.x = {{.name = "component"}}, .y = {.name = "singular value of B", .zero = true}};
  for (const Fit& f : fits) {
    std::vector<double> index, values;
    for (Index k = 0; k < f.rank(); ++k) {
      index.push_back(double(k + 1));
      values.push_back(f.parts.s(k));
    }
    chart.series.push_back({.name = f.run.name, .x = {index}, .y = values, .dots = true});
  }
  return section.chart(
      chart,
      "How much each component of the coefficients weighs, on the features as they "
      "were scaled for the fit. One near zero says that a smaller rank would do.");
}

void add_pictures(Section& section, const Fit& fit) {
  const Index side = image_side(fit.model);
  if (side == 0) return;
  const Matrix U = fit.model.map.restored(fit.parts.U);
  std::vector<Matrix> tiles;
  for (Index k = 0; k < std::min(fit.rank(), most_pictures); ++k)
    // Pixels go along the rows of an image.
    tiles.emplace_back(Eigen::Map<const Matrix>(U.col(k).data(), side, side).transpose());
  const std::size_t count = tiles.size();
  section.picture(std::move(tiles), 5, std::max<Index>(1, 112 / side),
                  sentence(fit.run.name, ": components 1 to ", count,
                           ", as images. Red pixels raise a component, blue ones lower it; each "
                           "picture has its own scale."));
}

/// Classes and features in one picture. B = U S Vᵀ is shared evenly: a class is at its row of V S^½, a feature at its row of
/// U S^½, and the inner product of the two is the coefficient.
void add_biplot(Section& section, const Fit& fit) {
  constexpr Index most_loadings = 12;
  const Index shown = std::min<Index>(fit.rank(), 2), K = fit.parts.V.rows() + 1;
  const Vector root = fit.parts.s.head(shown).cwiseSqrt();
  Matrix classes = Matrix::Zero(K, 2);
  classes.topLeftCorner(K - 1, shown) = fit.parts.V.leftCols(shown) * root.asDiagonal();
  Matrix loadings = Matrix::Zero(fit.parts.U.rows(), 2);
  loadings.leftCols(shown) = fit.parts.U.leftCols(shown) * root.asDiagonal();
  const double reach = loadings.rowwise().norm().maxCoeff();
  const double stretch = reach > 0.0 ? classes.rowwise().norm().maxCoeff() / reach : 1.0;

  const auto column = [](const Matrix& m, Index j) {
    return std::vector<double>(m.col(j).data(), m.col(j).data() + m.rows());
  };
  Chart chart{.x = {{.name = "component 1"}},
              .y = {.name = fit.rank() > 1 ? "component 2" : ""},
              .series = {{.name = "classes",
                          .x = {column(classes, 0)},
                          .y = column(classes, 1),
                          .dots = true,
                          .labels = fit.model.classes}},
              .square = true};
  std::string about =
      sentence(fit.run.name, ": classes in the first two components; ", fit.base(),
               ", which the others are compared with, is at the origin. Classes near each other "
               "are told apart by other components, or not at all.");
  if (image_side(fit.model) == 0) {
    Chart::Series features{.name = "features", .x = {{}}, .y = {}, .dots = true};
    for (const Index j : largest_rows(loadings, most_loadings)) {
      features.x[0].push_back(stretch * loadings(j, 0));
      features.y.push_back(stretch * loadings(j, 1));
      const Index name = fit.model.map.kept[std::size_t(j)];
      features.labels.push_back(fit.model.map.names[std::size_t(name)]);
    }
    about += sentence(" The ", features.y.size(), " features with the largest loadings are drawn ",
                      figure(stretch, 2),
                      " times as far from the origin as they are. A feature speaks for the classes "
                      "that lie in its "
                      "direction, and against those on the other side.");
    chart.series.push_back(std::move(features));
  }
  section.chart(chart, about);
}

void add_coefficients(Section& section, const Fit& fit) {
  constexpr Index most_features = 50, most_classes = 12;
  const Matrix B = fit.model.point.factor<0>().matrix();
  Matrix errors;
  if (fit.model.uncertainty) errors = fit.model.uncertainty->coefficients();
  const Index K = std::min(B.cols(), most_classes);
  Grid grid{{{"feature"}}, {}};
  for (Index k = 0; k < K; ++k) grid.columns.push_back({fit.model.classes[std::size_t(k)], true});
  const std::vector<Index> rows = largest_rows(B, most_features);
  for (const Index j : rows) {
    Grid::Row row{{Cell(fit.model.map.names[std::size_t(fit.model.map.kept[std::size_t(j)])])}};
    for (Index k = 0; k < K; ++k) {
      std::string text = figure(B(j, k), 3);
      Tone tone = Tone::plain;
      if (errors.size() > 0) {
        text += " ± " + figure(errors(j, k), 2);
        if (std::abs(B(j, k)) > 2.0 * errors(j, k)) tone = Tone::good;
      }
      row.cells.emplace_back(std::move(text), tone);
    }
    grid.rows.push_back(std::move(row));
  }
  section.paragraph(
      sentence(fit.run.name,
               ": what a feature, scaled as for the fit, adds to the log odds of a class against ",
               fit.base(),
               errors.size() > 0
                   ? ", with its standard error; those more than two of them from zero stand out."
                   : "."));
  section.table(
      grid,
      sentence("Coefficients of ",
               rows.size() < std::size_t(B.rows()) ? sentence(rows.size(), " of ") : "", B.rows(),
               B.rows() == 1 ? " feature" : " features",
               K < B.cols() ? sentence(" and the first ", K, " classes") : "", ", largest first"));
}

void add_confusion(Section& section, const Fit& fit) {
  const Eigen::MatrixXi& counts = fit.model.confusion;
  if (counts.size() == 0) return;
  const std::vector<std::string>& classes = fit.model.classes;
  Grid grid{{{"true class"}}, {}};
  for (const std::string& name : classes) grid.columns.push_back({name, true});
  for (Index i = 0; i < counts.rows(); ++i) {
    Grid::Row row{{Cell(classes[std::size_t(i)])}};
    const double total = double(counts.row(i).sum());
    for (Index j = 0; j < counts.cols(); ++j) {
      const double count = double(counts(i, j));
      row.cells.emplace_back(count == 0.0 ? "·" : figure(count, 10), i == j ? Tone::good
                                                                     : count > 0.05 * total
                                                                         ? Tone::mind
                                                                         : Tone::plain);
    }
    grid.rows.push_back(std::move(row));
  }
  section.paragraph(sentence(
      fit.run.name, ": ", fit.tested() ? "held-out rows" : "training rows, which the fit has seen",
      " by their class and the likeliest class."));
  section.table(grid);
}

}  // namespace fisherman::reduced_rank_report
