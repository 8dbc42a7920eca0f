// Coefficients of low rank that were fitted: how they are kept, shown and used; and the kind of fit that this is.
#include "fitted.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "../csv_table.hpp"
#include "../kinds.hpp"
#include "fisherman/io/npy.hpp"
#include "trials.hpp"

namespace fisherman {
namespace {

std::vector<std::string> numbered(const char* stem, Index count) {
  std::vector<std::string> names;
  for (Index k = 1; k <= count; ++k) names.push_back(sentence(stem, k));
  return names;
}

/// Checked, and as they were to the last bit.
FixedRank factors_of(const Fields& model) {
  const Matrix U = model.need_matrix("U"), S = model.need_matrix("S"), V = model.need_matrix("V");
  const FixedRank checked(U, S, V);
  Vector state(U.size() + S.size() + V.size());
  state << as_vector(U), as_vector(S), as_vector(V);
  return checked.restored(state);
}

}  // namespace

ReducedRankFitted::ReducedRankFitted(FeatureMap features, ReducedRank fitted)
    : map(std::move(features)), point(std::move(fitted)) {
  columns = map.names;
}

Fields ReducedRankFitted::result() const {
  Fields out = best;
  if (!fits.empty()) out.set("fits", fits);
  if (!trials.empty()) out.set("cross_validation", trials);
  if (errors_asked) out.set("standard_errors", uncertainty.has_value());
  return out;
}

Fields ReducedRankFitted::model() const {
  const FixedRank& B = point.factor<0>();
  Fields out;
  out.set("model", "reduced-rank");
  out.set("columns", map.names);
  out.set("scaling", scaling);
  out.set("ridge", ridge);
  out.set("kept", map.kept);
  out.set("shift", map.shift);
  out.set("scale", map.scale);
  out.set("classes", classes);
  out.set("label", label);
  out.set("U", Matrix(B.U()));
  out.set("S", Matrix(B.S()));
  out.set("V", Matrix(B.V()));
  out.set("intercepts", Vector(point.factor<1>().point()));
  return out;
}

Fields ReducedRankFitted::arrays() const {
  Fields out;
  out.set("confusion", Matrix(confusion.cast<double>()));
  if (uncertainty) out.set("covariance", uncertainty->covariance());
  return out;
}

std::unique_ptr<Fitted> ReducedRankFitted::load(const SavedFit& saved) {
  const Fields& model = saved.model;
  FeatureMap map;
  map.names = model.need_texts("columns");
  map.kept = model.need_counts("kept");
  map.shift = model.need_vector("shift");
  map.scale = model.need_vector("scale");
  auto out = std::make_unique<ReducedRankFitted>(
      std::move(map), ReducedRank(factors_of(model), Euclidean(model.need_vector("intercepts"))));
  out->classes = model.need_texts("classes");
  out->label = model.need_text("label");
  out->scaling = model.need_text("scaling");
  out->ridge = model.number("ridge");
  const FixedRank& B = out->point.factor<0>();
  const FeatureMap& found = out->map;
  const auto kept = Index(found.kept.size()), K = Index(out->classes.size());
  require(B.rows() == kept && found.shift.size() == kept && found.scale.size() == kept &&
              B.cols() + 1 == K && out->point.factor<1>().dimension() == B.cols() &&
              (found.scale.array() > 0.0).all() &&
              std::all_of(found.kept.begin(), found.kept.end(),
                          [&](Index j) { return j >= 0 && j < Index(found.names.size()); }),
          "its sizes do not go together");
  out->best = saved.result;
  if (saved.result.has("fits")) out->fits = saved.result.need_list("fits");
  if (saved.result.has("cross_validation"))
    out->trials = saved.result.need_list("cross_validation");
  out->errors_asked = saved.result.has("standard_errors");
  if (saved.arrays.has("confusion")) {
    const Matrix counts = saved.arrays.need_matrix("confusion");
    require(counts.rows() == K && counts.cols() == K, "confusion.npy and its classes differ");
    out->confusion = counts.cast<int>();
  }
  if (saved.arrays.has("covariance"))
    out->uncertainty.emplace(out->point, saved.arrays.need_matrix("covariance"));
  return out;
}

Matrix ReducedRankFitted::by_class(const Matrix& of_scaled) const {
  Matrix out = Matrix::Zero(Index(classes.size()), Index(map.names.size()));
  for (std::size_t j = 0; j < map.kept.size(); ++j)
    out.col(map.kept[j]).head(of_scaled.cols()) =
        of_scaled.row(Index(j)).transpose() / map.scale(Index(j));
  return out;
}

Fields ReducedRankFitted::parameters() const {
  const FixedRank& B = point.factor<0>();
  const Components parts = components(point);
  Fields out;
  out.set("rank", rank());
  out.set("scaling", scaling);
  out.set("ridge", ridge);
  out.set("loss", best.number("loss"));
  out.set("gain", best.number("gain"));
  out.set("path", fits.empty() ? std::vector<Fields>{best} : fits);
  out.set("cross_validation", trials);
  out.set("components", Matrix(map.restored(parts.U).transpose()));
  out.set("singular_values", parts.s);
  out.set("class_components", parts.V);
  const Matrix coefficients = by_class(B.matrix());
  Vector intercepts = Vector::Zero(Index(classes.size()));
  intercepts.head(B.cols()) = point.factor<1>().point();
  for (std::size_t j = 0; j < map.kept.size(); ++j)
    intercepts -= map.shift(Index(j)) * coefficients.col(map.kept[j]);
  out.set("coef", coefficients);
  out.set("intercept", intercepts);
  out.set("covariance", Value());
  out.set("standard_errors", Value());
  out.set("intercept_standard_errors", Value());
  if (uncertainty) {
    out.set("covariance", uncertainty->covariance());
    out.set("standard_errors", by_class(uncertainty->coefficients()));
    out.set("intercept_standard_errors", uncertainty->intercepts());
  }
  return out;
}

std::string ReducedRankFitted::text(const Output& /*output*/) const {
  std::ostringstream out;
  out << std::fixed << std::setprecision(5);
  if (!fits.empty()) {
    out << " rank  start   training   accuracy" << (tested() ? "   held-out   accuracy" : "")
        << '\n';
    for (const Fields& one : fits) {
      out << std::setw(5) << one.text("rank") << std::setw(7) << one.text("start");
      for (const char* column : {"loss", "accuracy", "test_loss", "test_accuracy"})
        if (one.has(column)) out << std::setw(11) << one.number(column);
      out << '\n';
    }
    out << '\n';
  }
  out << trials_text(trials);
  out << summary.sentence << "\nrank " << rank() << ": mean training loss " << best.number("loss")
      << " nats, accuracy " << best.number("accuracy") << ", after " << summary.iterations
      << " iterations, " << std::setprecision(2) << summary.seconds << " s\n"
      << std::setprecision(5);
  if (best.number("starts_tried") > 1.0)
    out << "begun from the best of " << best.text("starts_tried") << " short fits\n";
  if (tested())
    out << "held-out loss " << best.number("test_loss") << ", accuracy "
        << best.number("test_accuracy") << '\n';
  return out.str();
}

std::vector<NamedFile> ReducedRankFitted::tables(const Output& /*output*/) const {
  const Components parts = components(point);
  const std::vector<std::string> free(classes.begin(), classes.end() - 1);
  const Matrix full = map.restored(point.factor<0>().matrix());
  std::vector<NamedFile> out = {
      {"B.csv", csv_table("feature", map.names, free, full)},
      {"B.npy", npy_bytes(full)},
      {"U.csv", csv_table("feature", map.names, numbered("u", rank()), map.restored(parts.U))},
      {"S.csv", csv_table("component", numbered("", rank()), {"singular_value"}, parts.s)},
      {"V.csv", csv_table("class", free, numbered("v", rank()), parts.V)},
      {"intercepts.csv", csv_table("class", free, {"intercept"}, point.factor<1>().point())},
      {"confusion.csv", csv_table("true", classes, classes, confusion)}};
  if (!trials.empty()) out.push_back({"cv.csv", trials_csv(trials)});
  if (!uncertainty) return out;
  out.push_back({"B_standard_errors.csv",
                 csv_table("feature", map.names, free, map.restored(uncertainty->coefficients()))});
  out.push_back({"intercept_standard_errors.csv",
                 csv_table("class", free, {"standard_error"}, uncertainty->intercepts())});
  return out;
}

DesignRows ReducedRankFitted::design(const Table& rows, const std::string& where) const {
  return map.design(with_columns(rows, map.names, where), all_rows(rows.rows()), false);
}

Matrix ReducedRankFitted::transform(const Table& rows, const std::string& where) const {
  const DesignRows x = design(rows, where);
  return x.project(x.prepared(components(point).U), {0, x.rows()}).transpose();
}

Predictions ReducedRankFitted::predict(const Table& rows, const std::string& where,
                                       bool errors) const {
  const DesignRows x = design(rows, where);
  const LinearScores s = Multinomial::linear(point);
  const Matrix z = x.project(x.prepared(s.left), {0, x.rows()});
  const Matrix p = probabilities((s.right * z).colwise() + s.intercepts);
  Predictions out;
  for (const std::string& name : classes) out.columns.push_back("p_" + name);
  out.values = p.transpose();
  if (errors && uncertainty) {
    for (const std::string& name : classes) out.columns.push_back("se_" + name);
    out.values.conservativeResize(Eigen::NoChange, 2 * p.rows());
    out.values.rightCols(p.rows()) =
        uncertainty->probabilities(x.columns({0, x.rows()})).transpose();
  }
  for (Index i = 0; i < p.cols(); ++i) {
    Index best_class;
    p.col(i).maxCoeff(&best_class);
    out.classes.push_back(classes[std::size_t(best_class)]);
  }
  return out;
}

Fields ReducedRankFitted::score(const Table& rows, const Predictions& predictions,
                                const std::string& where, const std::string& labels_where) const {
  Fields out;
  out.set("rows", predictions.values.rows());
  if (rows.labels.empty()) return out;
  const ClassData known(design(rows, where), class_labels(rows.labels, classes, labels_where),
                        Index(classes.size()));
  const Evaluation result = evaluate(known, point);
  out.set("log_loss", result.loss);
  out.set("accuracy", result.accuracy);
  return out;
}

FitKind reduced_rank_kind() {
  return {.name = "reduced-rank",
          .help = "multinomial logistic regression with a coefficient matrix of low rank",
          .examples =
              "fisherman fit reduced-rank --data train-images-idx3-ubyte.gz --labels "
              "train-labels-idx1-ubyte.gz --rank 5 --out digits\n"
              "fisherman predict --run digits --data t10k-images-idx3-ubyte.gz",
          .objective = "mean negative log-likelihood, nats",
          .takes_test_rows = true,
          .takes_lent = true,
          .takes_sparse = true,
          .takes_parts = true,
          .takes_stored = true,
          .files = {"B.csv", "B.npy", "U.csv", "S.csv", "V.csv", "intercepts.csv", "confusion.csv",
                    "cv.csv", "B_standard_errors.csv", "intercept_standard_errors.csv"},
          .arrays = {"confusion", "covariance"},
          .settings = new_settings<ReducedRankSettings>,
          .fit = ReducedRankFitted::fit,
          .load = ReducedRankFitted::load,
          .page = reduced_rank_report::page,
          .grid = "step-size=0.01,0.03,0.1,0.3,1,3; decay=0.5,0.75",
          .grid_of_scores = "epsilon=0.1,1,10",
          .learns_fisher = [](const FitSettings& s) {
            return settings_as<ReducedRankSettings>(s).learns_fisher();
          }};
}

}  // namespace fisherman
