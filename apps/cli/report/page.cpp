#include "page.hpp"

#include <cmath>
#include <cstdio>

#include "../resources.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::cli::report {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f)
      out += "\xEF\xBF\xBD";  // U+FFFD
    else
      out += c;
  }
  return out;
}

std::string script_json(const Json& value) {
  const std::string plain = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size());
  // These occur inside strings only. "</script>" and "<!--" would end or change the element; U+2028 and
  // U+2029 end a line in older JavaScript.
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string_view next = std::string_view(plain).substr(i, 3);
    if (next[0] == '<')
      out += "\\u003c";
    else if (next[0] == '>')
      out += "\\u003e";
    else if (next[0] == '&')
      out += "\\u0026";
    else if (next == "\xE2\x80\xA8")
      out += "\\u2028", i += 2;
    else if (next == "\xE2\x80\xA9")
      out += "\\u2029", i += 2;
    else
      out += next[0];
  }
  return out;
}

namespace {

std::string printed(const char* format, int digits, double value) {
  char buffer[400];  // the longest double with all its digits has 309 before the point
  std::snprintf(buffer, sizeof buffer, format, digits, value);
  return buffer;
}

std::string unusual(double value) {
  if (std::isnan(value)) return "not known";
  return value > 0.0 ? "∞" : "-∞";
}

}  // namespace

std::string figure(double value, int digits) {
  if (!std::isfinite(value)) return unusual(value);
  std::string out = printed("%.*g", digits, value);
  // Up to a million people rather read the number than its power of ten.
  if (out.find("e+") != std::string::npos && std::abs(value) < 1e7)
    return printed("%.*f", 0, value);
  return out;
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return unusual(value);
  // A huge number has no decimals worth printing, and would not fit a table.
  return std::abs(value) < 1e9 ? printed("%.*f", decimals, value) : printed("%.*g", 6, value);
}

std::string Page::html() const {
  std::string parts, verdict_part;
  bool charts = false;
  for (const Section& section : sections) {
    parts += sentence("<section>\n<h2>", escaped(section.title()), "</h2>\n", section.body(),
                      "</section>\n");
    charts = charts || section.has_chart();
  }
  if (!verdict.text.empty())
    verdict_part = Section("").paragraph(verdict.text, verdict.tone).body();
  std::string scripts;
  if (charts) scripts += sentence("<script>\n", resource("chart.min.js"), "</script>\n");
  scripts += sentence("<script>\n", resource("page.js"), "</script>\n");
  return filled(resource("page.html"), {{"title", escaped(title)},
                                        {"about", escaped(about)},
                                        {"verdict", verdict_part},
                                        {"style", std::string(resource("page.css"))},
                                        {"sections", parts},
                                        {"footer", escaped(footer)},
                                        {"scripts", scripts}});
}

}  // namespace fisherman::cli::report
