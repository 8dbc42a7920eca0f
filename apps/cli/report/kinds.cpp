#include "kinds.hpp"

#include "fisherman/core/error.hpp"
#include "fisherman/io/text.hpp"
#include "flow.hpp"
#include "logistic.hpp"
#include "reduced_rank.hpp"

namespace fisherman::cli::report {
namespace {

struct Kind {
  const char* name;  // as "model" in model.json
  Page (*page)(const std::vector<Run>& runs, const std::vector<std::filesystem::path>& data);
};

using Places = std::vector<std::filesystem::path>;

constexpr Kind kinds[] = {
    {"logistic", [](const std::vector<Run>& runs,
                    const Places& data) { return logistic_page(runs, {.data = data}); }},
    {"reduced-rank",
     [](const std::vector<Run>& runs, const Places&) { return reduced_rank_page(runs); }},
    {"flow", flow_page}};

}  // namespace

Page page_of(const std::vector<Run>& runs, const std::vector<std::filesystem::path>& data) {
  for (const Run& run : runs)
    if (run.kind() != runs[0].kind())
      throw FileError(sentence(run.folder.string(), ": is a ", shown(run.kind()), " fit, but ",
                               runs[0].folder.string(), " is a ", shown(runs[0].kind()),
                               " fit; a report is of one kind"));
  std::string known;
  for (const Kind& kind : kinds) {
    if (runs[0].kind() == kind.name) return kind.page(runs, data);
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw FileError(sentence((runs[0].folder / "model.json").string(), ": is a fit of the kind ",
                           shown(runs[0].kind()), ", of which there is no report; there is one of ",
                           known));
}

}  // namespace fisherman::cli::report
