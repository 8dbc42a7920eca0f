// A page of data as one HTML file that needs nothing else. Whatever is put into it is escaped here, and there
// is no way to pass HTML through.
//
// The page loads nothing from anywhere. Charts are drawn by Chart.js, which is part of the page;
// without JavaScript the text and the tables are still there. How a page looks is in page.css, what
// moves in page.js.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fisherman/fit/page.hpp"
#include "fisherman/io/json.hpp"

namespace fisherman::cli::report {

using namespace fisherman::
    report;  // NOLINT: the parts of a page, which this folder makes and shows
std::string html(const Page& page);
/// One part of a section, without what it needs to move.
std::string part_html(const Part& part);
/// Intervals as a table that draws itself.
std::string forest_html(const Forest& forest);

/// For element content and quoted attributes. Control characters, which HTML forbids, become U+FFFD.
std::string escaped(std::string_view text);

std::string base64(std::string_view bytes);

/// JSON that may stand inside a <script> element, whatever its strings hold. NaN and infinities are null.
std::string script_json(const Json& value);

}  // namespace fisherman::cli::report
