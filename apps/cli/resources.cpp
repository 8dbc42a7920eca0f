#include "resources.hpp"

namespace fisherman::cli {

std::string filled(std::string_view form,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  for (;;) {
    const auto open = form.find("{{");
    out += form.substr(0, open);
    if (open == std::string_view::npos) return out;
    const auto close = form.find("}}", open);
    const std::string_view name = form.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : values)
      if (key == name) out += value;
    form.remove_prefix(close + 2);
  }
}

}  // namespace fisherman::cli
