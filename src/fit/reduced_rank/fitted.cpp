// fisherman fit reduced-rank: from rows and their classes to coefficients of low rank, and the kind of fit that this is.
#include "fitted.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "../csv_table.hpp"
#include "../kinds.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/io/npy.hpp"

namespace fisherman {
namespace {

/// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t j = 0; j < std::min(most, names.size()); ++j)
    out += (j > 0 ? ", " : "") + names[j];
  return names.size() > most ? sentence(out, " and ", names.size() - most, " more") : out;
}

/// Why the likelihood may have no finite maximum; empty if nothing tells. A ridge gives one.
std::string without_maximum(const ClassData& data, const FeatureMap& map, const RankFit& fit,
                            const ReducedRankSettings& s) {
  if (s.ridge > 0.0) return {};
  constexpr const char* so =
      "the likelihood has no finite maximum, and the coefficients grow with the "
      "iterations: --ridge 1 gives a finite optimum";
  if (fit.train.accuracy == 1.0)
    return sentence(
        "the classes are linearly separable (coefficients of this rank put every row in its "
        "class): ",
        so);
  std::vector<std::string> names;
  for (const Index j : one_class_features(data))
    names.push_back(map.names[std::size_t(map.kept[std::size_t(j)])]);
  if (names.empty()) return {};
  return sentence(names.size(), names.size() == 1 ? " feature varies" : " features vary",
                  " in one class only (", some_of(names), "): ", so);
}

std::vector<std::string> numbered(const char* stem, Index count) {
  std::vector<std::string> names;
  for (Index k = 1; k <= count; ++k) names.push_back(sentence(stem, k));
  return names;
}

/// The class of this name becomes the last, which the others are compared with.
void make_last(const std::string& name, std::vector<int>& y, std::vector<std::string>& classes) {
  if (name.empty()) return;
  const auto found = std::find(classes.begin(), classes.end(), name);
  require(found != classes.end(), "--reference is '", name, "', but there is no such class");
  const int at = int(found - classes.begin()), last = int(classes.size()) - 1;
  std::rotate(found, found + 1, classes.end());
  for (int& k : y) k = k == at ? last : k > at ? k - 1 : k;
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

std::unique_ptr<Fitted> ReducedRankFitted::fit(FitData data, const FitSettings& settings,
                                               Driver& driver) {
  ReducedRankSettings s = settings_as<ReducedRankSettings>(settings);
  std::vector<double> ridges = s.ridge_values();
  s.ridge = ridges.front();
  require(!data.test || s.holdout == 0.0,
          "--test-data and --holdout do not go together: one of them is enough");
  set_threads(int(s.threads));
  auto [y, classes] = data.class_labels();
  make_last(s.reference, y, classes);
  const FeatureScale scaling = s.scaling(data.table);
  const FeatureMap map = FeatureMap::of(data.table, scaling, s.descends());
  const auto K = Index(classes.size()), kept = Index(map.kept.size()), all = data.table.columns();
  std::vector<Index> ranks = s.ranks(kept, K);
  const MemoryPlan plan =
      plan_memory(s, data.table, kept, K, *std::max_element(ranks.begin(), ranks.end()));
  driver.say(scaling_words(scaling));
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& warning) {
    driver.warn(warnings.emplace_back(warning));
  };
  if (kept < all)
    warn(sentence(all - kept, " of ", all,
                  " features are constant; they are left out, and their coefficients are 0"));
  FitRows rows = split_rows(data.table, y, K, map, plan.single_design, s);
  data.table.x.resize(0, 0);
  data.table.sparse.reset();
  if (data.test) {
    const FitData test = data.test();
    const auto test_y = class_labels(test.table.labels, classes, test.labels_where);
    rows.test = class_rows(with_columns(test.table, map.names, test.where), test_y,
                           all_rows(test.table.rows()), K, map, plan.single_design);
  }

  std::optional<CrossValidation> cv;
  if (s.cv > 0) {
    cv = cross_validate(*rows.train, s, ranks, ridges, driver);
    if (!cv) return nullptr;
    ranks = {cv->trials[cv->chosen].rank};
    s.ridge = cv->trials[cv->chosen].ridge;
  }
  const RankPath path = fit_ranks(rows, s, ranks, plan, driver);
  if (path.fits.empty()) return nullptr;
  const RankFit& best = path.fits[path.best];
  auto out = std::make_unique<ReducedRankFitted>(map, best.point);
  out->summary = best.end;
  const bool whole = path.fits.size() == ranks.size() * std::size_t(s.starts);
  out->as_asked = whole && best.end.as_asked(s.iterations);
  out->label = data.table.label_name;
  out->classes = classes;
  out->scaling = name(scaling);
  out->best = part_result(best);
  if (ranks.size() > 1 || s.starts > 1) {
    for (const RankFit& one : path.fits) out->fits.push_back(part_result(one));
    out->part = part_name(best.rank, best.start);
  }
  out->confusion = (best.test ? *best.test : best.train).confusion;
  out->ridge = s.ridge;
  out->best.set("ridge", s.ridge);
  if (cv) {
    out->best.set("folds", cv->folds);
    for (std::size_t k = 0; k < cv->trials.size(); ++k) {
      const CrossValidation::Trial& trial = cv->trials[k];
      Fields& one = out->trials.emplace_back();
      one.set("rank", trial.rank);
      one.set("ridge", trial.ridge);
      one.set("loss", trial.loss);
      one.set("standard_error", trial.error);
      one.set("accuracy", trial.accuracy);
      one.set("chosen", k == cv->chosen);
    }
  }
  Errors errors = standard_errors(rows, best, s);
  out->errors_asked = errors.asked;
  out->uncertainty = std::move(errors.uncertainty);
  const auto doubt = [&](const char* key, const std::string& why) {
    if (why.empty()) return;
    warn(why);
    out->best.set(key, why);
  };
  doubt("no_standard_errors", errors.why_not);
  doubt("no_maximum", without_maximum(*rows.train, map, best, s));
  out->warnings = std::move(warnings);
  return out;
}

Fields ReducedRankFitted::result() const {
  Fields out = best;
  if (!fits.empty()) out.set("fits", fits);
  if (!trials.empty()) out.set("cross_validation", trials);
  if (errors_asked) out.set("standard_errors", uncertainty.has_value());
  return out;
}

std::string ReducedRankFitted::trials_csv() const {
  std::ostringstream out;
  out << "rank,ridge,loss,standard_error,accuracy,chosen\n" << std::setprecision(10);
  for (const Fields& one : trials)
    out << one.text("rank") << ',' << one.number("ridge") << ',' << one.number("loss") << ','
        << one.number("standard_error") << ',' << one.number("accuracy") << ','
        << (one.flag("chosen") ? 1 : 0) << '\n';
  return out.str();
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
  if (!trials.empty()) {
    out << " rank      ridge  left-out loss  standard error   accuracy\n";
    for (const Fields& one : trials)
      out << std::setw(5) << one.text("rank") << std::setw(11) << std::defaultfloat
          << one.number("ridge") << std::fixed << std::setw(15) << one.number("loss")
          << std::setw(16) << one.number("standard_error") << std::setw(11)
          << one.number("accuracy") << (one.flag("chosen") ? "  chosen" : "") << '\n';
    out << '\n';
  }
  out << summary.sentence << "\nrank " << rank() << ": mean training loss " << best.number("loss")
      << " nats, accuracy " << best.number("accuracy") << ", after " << summary.iterations
      << " iterations, " << std::setprecision(2) << summary.seconds << " s\n"
      << std::setprecision(5);
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
  if (!trials.empty()) out.push_back({"cv.csv", trials_csv()});
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
          .takes_sparse = true,
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
