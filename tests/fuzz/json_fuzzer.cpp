// A fuzzer on model.json and on config files: whatever the bytes, a model that can be used, settings, or a sentence of ours.
#include <nlohmann/json.hpp>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/io/json.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace fisherman;

/// As each kind in turn, whatever kind it says it is.
void use_as_model(const Json& json) {
  const Json ended = {
      {"status", "converged"}, {"sentence", "."}, {"objective", 1.0}, {"iterations", 1},
      {"seconds", 1.0},        {"rejected", 0},   {"clips", 0}};
  for (const FitKind& kind : fit_kinds()) try {
      SavedFit saved{
          fields_of(json, "model.json"), fields_of(ended, "result.json"), {}, "model.json"};
      saved.model.set("model", kind.name);
      const LoadedFit loaded = load_fit(saved);
      const auto columns = Index(loaded.fit->columns.size());
      Table rows;
      rows.x = Matrix::Ones(2, columns);
      rows.names = loaded.fit->columns;
      loaded.fit->predict(rows, "new.csv", true);
      loaded.fit->parameters();
    } catch (const FileError&) {
    } catch (const Misuse&) {
    } catch (const NotFinite&) {
    }
}

void use_as_config(const Json& json) {
  for (const FitKind& kind : fit_kinds())
    for (const auto& [name, value] : json.items()) try {
        kind.settings()->options.set(name,
                                     value.is_string() ? value.get<std::string>() : value.dump());
      } catch (const Misuse&) {
      }
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  return {
      R"({"model":"logistic","names":["a","b"],"columns":["a","b"],"label":"y","classes":["n","y"],)"
      R"("intercept":false,"shift":[0,1],"scale":[1,2.5],"mean":[0.5,-1],"covariance":[1,0,0,1]})",
      R"({"model":"reduced-rank","columns":["a","b"],"kept":[0,1],"shift":[0,0],"scale":[1,1],)"
      R"("classes":["p","q"],"label":"y","scaling":"none","U":[[1],[0]],"S":[[2]],"V":[[1]],"intercepts":[0.1]})",
      R"({"model":"flow","columns":["a"],"label":"y","classes":["n","y"],"intercept":false,)"
      R"("shift":[0],"scale":[1],"options":{"target":"logistic","family":"gaussian","hidden":1},)"
      R"("names":["a"],"weights":1,"state":[0.1,1.0]})",
      R"({"seed":7,"step-size":0.5,"geometry":"bw","no-guard":true,"iterations":100,"decay":-1})"};
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    const Json json =
        parse_json(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
    if (!json.is_object()) return 0;
    use_as_model(json);
    use_as_config(json);
  } catch (const FileError&) {
  }
  return 0;
}
