#include "reduced_rank_model.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

#include "fisherman/core/error.hpp"
#include "fit.hpp"

namespace fisherman::cli {
namespace {

Json by_rows(const Matrix& m) {
  Json rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i) rows.push_back(numbers(m.row(i)));
  return rows;
}

Matrix matrix_of(const nlohmann::json& rows) {
  Matrix out(Index(rows.size()), rows.empty() ? 0 : Index(rows.at(0).size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Vector row = vector_of(rows[i]);
    require(row.size() == out.cols(), "row ", i + 1, " of a matrix has ", row.size(),
            " numbers, but the first has ", out.cols());
    out.row(Index(i)) = row.transpose();
  }
  return out;
}

}  // namespace

nlohmann::ordered_json ReducedRankModel::to_json() const {
  const FixedRank& B = point.factor<0>();
  Json model;
  model["model"] = "reduced-rank";
  model["columns"] = map.names;
  model["kept"] = map.kept;
  model["shift"] = numbers(map.shift);
  model["scale"] = numbers(map.scale);
  model["classes"] = classes;
  model["label"] = label;
  model["U"] = by_rows(B.U());
  model["S"] = by_rows(B.S());
  model["V"] = by_rows(B.V());
  model["intercepts"] = numbers(point.factor<1>().point());
  return model;
}

ReducedRankModel ReducedRankModel::from_json(const nlohmann::json& model, const std::string& file) {
  try {
    if (model.at("model") != "reduced-rank") throw FileError(file + ": is not a reduced-rank fit");
    ReducedRankModel out{{},
                         ReducedRank(FixedRank(matrix_of(model.at("U")), matrix_of(model.at("S")),
                                               matrix_of(model.at("V"))),
                                     Euclidean(vector_of(model.at("intercepts")))),
                         {},
                         {}};
    model.at("columns").get_to(out.map.names);
    model.at("kept").get_to(out.map.kept);
    model.at("classes").get_to(out.classes);
    model.at("label").get_to(out.label);
    out.map.shift = vector_of(model.at("shift"));
    out.map.scale = vector_of(model.at("scale"));
    const FixedRank& B = out.point.factor<0>();
    const auto kept = Index(out.map.kept.size());
    if (B.rows() != kept || out.map.shift.size() != kept || out.map.scale.size() != kept ||
        B.cols() + 1 != Index(out.classes.size()) ||
        out.point.factor<1>().dimension() != B.cols() || !(out.map.scale.array() > 0.0).all() ||
        std::any_of(out.map.kept.begin(), out.map.kept.end(),
                    [&](Index j) { return j < 0 || j >= Index(out.map.names.size()); }))
      throw FileError(file + ": its sizes do not go together");
    return out;
  } catch (const nlohmann::json::exception& e) {
    throw FileError(
        sentence(file, ": is not what a reduced-rank fit leaves (", plain_words(e), ")"));
  } catch (const Misuse& e) {
    throw FileError(sentence(file, ": is not what a reduced-rank fit leaves (", e.what(), ")"));
  } catch (const NotFinite& e) {
    throw FileError(sentence(file, ": is not what a reduced-rank fit leaves (", e.what(), ")"));
  }
}

Matrix ReducedRankModel::design(const Table& table, const std::string& file) const {
  std::vector<Index> rows(static_cast<std::size_t>(table.x.rows()));
  std::iota(rows.begin(), rows.end(), Index(0));
  if (table.names == map.names) return map.design<double>(table.x, rows);
  Matrix x(table.x.rows(), Index(map.names.size()));
  for (std::size_t k = 0; k < map.names.size(); ++k) {
    const auto found = std::find(table.names.begin(), table.names.end(), map.names[k]);
    if (found == table.names.end())
      throw FileError(file + ": has no column '" + map.names[k] + "', which the fit was made with");
    x.col(Index(k)) = table.x.col(found - table.names.begin());
  }
  return map.design<double>(x, rows);
}

std::string predictions_csv(const ReducedRankModel& model, const Matrix& x,
                            const std::optional<Uncertainty>& uncertainty) {
  const LinearScores s = Multinomial::linear(model.point);
  const Matrix z = s.left.transpose() * x;
  const Matrix p = probabilities((s.right * z).colwise() + s.intercepts);
  const Matrix errors = uncertainty ? uncertainty->probabilities(x) : Matrix();
  std::ostringstream out;
  out << std::setprecision(10) << "class";
  for (const std::string& name : model.classes) out << ',' << csv_field("p_" + name);
  if (uncertainty)
    for (const std::string& name : model.classes) out << ',' << csv_field("se_" + name);
  out << '\n';
  for (Index i = 0; i < p.cols(); ++i) {
    Index best;
    p.col(i).maxCoeff(&best);
    out << csv_field(model.classes[std::size_t(best)]);
    for (Index k = 0; k < p.rows(); ++k) out << ',' << p(k, i);
    for (Index k = 0; k < errors.rows(); ++k) out << ',' << errors(k, i);
    out << '\n';
  }
  return out.str();
}

}  // namespace fisherman::cli
