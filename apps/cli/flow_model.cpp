#include "flow_model.hpp"

#include "fisherman/core/error.hpp"
#include "fit.hpp"
#include "logistic_model.hpp"

namespace fisherman::cli {
namespace {

/// Every family has a matrix of all weights squared, and Sylvester layers two thin ones each: a lie about the sizes is
/// found before anything is allocated for it.
double least_state(const FlowSettings& settings, Index weights) {
  const double w = double(weights);
  const double layers = settings.family == VariationalFamily::sylvester
                            ? double(settings.layers) * double(settings.rank) * w
                            : 0.0;
  return w * w + layers;
}

}  // namespace

FlowModel FlowModel::from_json(const nlohmann::json& model, const std::string& file) {
  FlowModel out;
  try {
    if (model.at("model") != "flow") throw FileError(file + ": is not a flow");
    out.preparation.shift = vector_of(model.at("shift"));
    out.preparation.scale = vector_of(model.at("scale"));
    model.at("intercept").get_to(out.preparation.intercept);
    model.at("columns").get_to(out.columns);
    model.at("classes").get_to(out.classes);
    model.at("label").get_to(out.label);
    Options options;
    out.settings.describe(options);
    for (const auto& [name, value] : model.at("options").items())
      options.set(name, value.is_string() ? value.get<std::string>() : value.dump());
    model.at("weights").get_to(out.weights);
    out.state = vector_of(model.at("state"));
    const Index inputs = Index(out.columns.size()) + (out.preparation.intercept ? 1 : 0);
    const bool network = out.settings.target == FlowTarget::neural;
    if (out.preparation.shift.size() != Index(out.columns.size()) ||
        out.preparation.scale.size() != Index(out.columns.size()) ||
        !(out.preparation.scale.array() > 0.0).all() ||
        out.weights != (network ? out.settings.hidden * (inputs + 2) + 1 : inputs) ||
        least_state(out.settings, out.weights) > double(out.state.size()))
      throw FileError(file + ": its sizes do not go together");
    flow_frame(out.settings, out.weights, out.state);  // throws if the state is of another size
  } catch (const nlohmann::json::exception& e) {
    throw FileError(sentence(file, ": is not what a flow leaves (", plain_words(e), ")"));
  } catch (const Misuse& e) {
    throw FileError(sentence(file, ": ", e.what()));
  } catch (const NotFinite& e) {
    throw FileError(sentence(file, ": ", e.what()));
  }
  return out;
}

Matrix FlowModel::predictive(const Table& table, const std::string& file) const {
  const Matrix x = design_of(table, file, columns, preparation);
  return flow_predictive(x, settings, weights, flow_frame(settings, weights, state));
}

}  // namespace fisherman::cli
