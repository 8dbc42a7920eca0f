// The files of a page (page.html, page.css, page.js, Chart.js), as they were when this was built.
#pragma once

#include <string_view>

namespace fisherman::cli::report {

/// Empty for a name that is not embedded.
std::string_view resource(std::string_view name);

}  // namespace fisherman::cli::report
