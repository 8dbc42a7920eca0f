// A fuzzer on model.json and on config files: whatever the bytes, a model that can be used, settings, or a sentence of ours.
#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/logistic.hpp"
#include "flow_model.hpp"
#include "fuzz/fuzz.hpp"
#include "logistic_model.hpp"
#include "reduced_rank_model.hpp"

namespace {

using namespace fisherman;

void use_as_model(const nlohmann::json& json) {
  const auto attempt = [](auto read) {
    try {
      read();
    } catch (const FileError&) {
    }
  };
  attempt([&] { cli::LogisticModel::from_json(json, "model.json"); });
  attempt([&] { cli::FlowModel::from_json(json, "model.json"); });
  attempt([&] {
    const auto model = cli::ReducedRankModel::from_json(json, "model.json");
    const Table table{Matrix::Ones(2, Index(model.map.names.size())), model.map.names, {}, {}};
    model.design(table, "new.csv");
  });
}

void use_as_config(const nlohmann::json& json) {
  LogisticSettings logistic;
  FlowSettings flow;
  for (const auto& [name, value] : json.items())
    for (int kind = 0; kind < 2; ++kind) {
      Options options;
      kind == 0 ? logistic.describe(options) : flow.describe(options);
      try {
        options.set(name, value.is_string() ? value.get<std::string>() : value.dump());
      } catch (const Misuse&) {
      }
    }
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  return {
      R"({"model":"logistic","names":["a","b"],"columns":["a","b"],"label":"y","classes":["n","y"],)"
      R"("intercept":false,"shift":[0,1],"scale":[1,2.5],"mean":[0.5,-1],"covariance":[1,0,0,1]})",
      R"({"model":"reduced-rank","columns":["a","b"],"kept":[0,1],"shift":[0,0],"scale":[1,1],)"
      R"("classes":["p","q"],"label":"y","U":[[1],[0]],"S":[[2]],"V":[[1]],"intercepts":[0.1]})",
      R"({"model":"flow","columns":["a"],"label":"y","classes":["n","y"],"intercept":false,)"
      R"("shift":[0],"scale":[1],"options":{"target":"logistic","family":"gaussian","hidden":1},)"
      R"("weights":1,"state":[0.1,1.0]})",
      R"({"seed":7,"step-size":0.5,"geometry":"bw","no-guard":true,"iterations":100,"decay":-1})"};
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    const nlohmann::json json =
        cli::parse_json(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
    use_as_model(json);
    if (json.is_object()) use_as_config(json);
  } catch (const FileError&) {
  }
  return 0;
}
