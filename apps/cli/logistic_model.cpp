#include "logistic_model.hpp"

#include <algorithm>

#include "fisherman/core/error.hpp"
#include "fit.hpp"

namespace fisherman::cli {

LogisticModel LogisticModel::from_json(const nlohmann::json& model, const std::string& file) {
  LogisticModel out;
  try {
    if (model.at("model") != "logistic") throw FileError(file + ": is not a logistic fit");
    model.at("names").get_to(out.preparation.names);
    out.preparation.shift = vector_of(model.at("shift"));
    out.preparation.scale = vector_of(model.at("scale"));
    model.at("intercept").get_to(out.preparation.intercept);
    model.at("columns").get_to(out.columns);
    model.at("classes").get_to(out.classes);
    model.at("label").get_to(out.label);
    out.q.mean = vector_of(model.at("mean"));
    const Vector covariance = vector_of(model.at("covariance"));
    const Index d = out.q.mean.size();
    const auto columns = Index(out.columns.size());
    if (covariance.size() != d * d || Index(out.preparation.names.size()) != d ||
        out.preparation.shift.size() != columns || out.preparation.scale.size() != columns ||
        !(out.preparation.scale.array() > 0.0).all() ||
        d != columns + (out.preparation.intercept ? 1 : 0))
      throw FileError(file + ": its sizes do not go together");
    out.q.covariance = as_matrix(covariance.data(), d, d);
  } catch (const nlohmann::json::exception& e) {
    throw FileError(sentence(file, ": is not what a logistic fit leaves (", plain_words(e), ")"));
  }
  return out;
}

Matrix design_of(const Table& table, const std::string& file,
                 const std::vector<std::string>& columns, const Preparation& preparation) {
  if (table.names == columns) return preparation.design(table.x);
  Matrix x(table.x.rows(), Index(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto found = std::find(table.names.begin(), table.names.end(), columns[k]);
    if (found == table.names.end())
      throw FileError(file + ": has no column '" + columns[k] + "', which the fit was made with");
    x.col(Index(k)) = table.x.col(found - table.names.begin());
  }
  return preparation.design(x);
}

}  // namespace fisherman::cli
