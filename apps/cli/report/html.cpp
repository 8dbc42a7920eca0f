#include "html.hpp"

#include "../resources.hpp"
#include "fisherman/core/error.hpp"
#include "png.hpp"

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

std::string base64(std::string_view bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63] : '=';
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

std::string tone_class(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::mind:
      return "mind";
    case Tone::bad:
      return "bad";
    case Tone::plain:
      break;
  }
  return "";
}

/// <tag class="…">text</tag>, the text escaped.
std::string element(std::string_view tag, std::string_view classes, std::string_view text) {
  const std::string attribute = classes.empty() ? "" : sentence(" class=\"", classes, "\"");
  return sentence('<', tag, attribute, '>', escaped(text), "</", tag, '>');
}

/// The class of something that is said in a tone.
std::string said(Tone tone) { return tone == Tone::plain ? "" : "said " + tone_class(tone); }

/// A dot in the colour of a series.
std::string key(int colour) {
  return colour < 0 ? "" : sentence("<i class=\"key c", colour % 8, "\"></i>");
}

std::string chart_element(const Json& spec, std::string_view label, const std::string& before,
                          const std::string& after) {
  return sentence("<figure class=\"chart\">", before,
                  "<div class=\"canvas\"><canvas role=\"img\" aria-label=\"", escaped(label),
                  "\"></canvas></div>\n", after, "\n<script type=\"application/json\">",
                  script_json(spec), "</script></figure>\n");
}

/// What page.js draws from.
Json chart_spec(const Chart& chart) {
  Json spec = {{"x", Json::array()},
               {"y", {{"name", chart.y.name}, {"log", chart.y.log}, {"zero", chart.y.zero}}},
               {"series", Json::array()},
               {"square", chart.square},
               {"diagonal", chart.diagonal}};
  for (const Chart::Axis& axis : chart.x)
    spec["x"].push_back({{"name", axis.name}, {"log", axis.log}});
  for (const Chart::Series& series : chart.series) {
    Json one = {{"name", series.name}, {"x", series.x}, {"y", series.y}};
    if (series.dots) one["dots"] = true;
    if (series.band) one["band"] = true;
    if (!series.low.empty()) one["low"] = series.low;
    if (!series.high.empty()) one["high"] = series.high;
    if (!series.size.empty()) one["size"] = series.size;
    if (!series.labels.empty()) one["labels"] = series.labels;
    if (series.colour >= 0) one["colour"] = series.colour;
    spec["series"].push_back(std::move(one));
  }
  return spec;
}

/// Each part of a section as HTML.
struct Parts {
  std::string operator()(const Paragraph& p) const {
    return sentence(element("p", said(p.text.tone), p.text.text), '\n');
  }
  std::string operator()(const List& list) const {
    std::string out = "<ul>\n";
    for (const Cell& item : list.items)
      out += sentence(element("li", said(item.tone), item.text), '\n');
    return out + "</ul>\n";
  }
  std::string operator()(const Figures& figures) const {
    std::string out = "<dl class=\"figures\">\n";
    for (const auto& [name, value] : figures.facts)
      out += sentence("<div>", element("dt", "", name),
                      element("dd", tone_class(value.tone), value.text), "</div>\n");
    return out + "</dl>\n";
  }
  std::string operator()(const TablePart& table) const {
    std::string out;
    if (!table.summary.empty())
      out += sentence("<details>", element("summary", "", table.summary), '\n');
    out += "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
    for (const Grid::Column& column : table.grid.columns)
      out += sentence(column.number ? "<th class=\"number\">" : "<th>", key(column.colour),
                      escaped(column.title), "</th>");
    out += "</tr></thead>\n<tbody>\n";
    for (const Grid::Row& row : table.grid.rows) {
      out += row.marked ? "<tr class=\"marked\">" : "<tr>";
      for (std::size_t k = 0; k < row.cells.size(); ++k) {
        const bool number = k < table.grid.columns.size() && table.grid.columns[k].number;
        const std::string classes = tone_class(row.cells[k].tone) + (number ? " number" : "");
        if (k == 0)
          out +=
              sentence("<th scope=\"row\">", key(row.colour), escaped(row.cells[k].text), "</th>");
        else
          out += element("td", classes, row.cells[k].text);
      }
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    return table.summary.empty() ? out : out + "</details>\n";
  }
  std::string operator()(const Forest& forest) const { return forest_html(forest); }
  std::string operator()(const ChartPart& part) const {
    return chart_element(chart_spec(part.chart), part.caption, "",
                         element("figcaption", "", part.caption));
  }
  std::string operator()(const Panels& panels) const {
    std::string out = "<div class=\"panels\">\n";
    for (const auto& [title, chart] : panels.charts) {
      Json bare = chart_spec(chart);
      bare["legend"] = false;
      out += chart_element(bare, title, element("h3", "", title), "");
    }
    out += "</div>\n<p class=\"legend\">";
    for (const Chart::Series& series : panels.charts.at(0).second.series)
      out += sentence("<span>", key(series.colour), escaped(series.name), "</span>");
    return out + "</p>\n";
  }
  std::string operator()(const Picture& picture) const {
    return sentence("<figure><img alt=\"", escaped(picture.caption),
                    "\" src=\"data:image/png;base64,",
                    base64(tiles_png(picture.tiles, picture.in_a_row, picture.pixels)), "\">",
                    element("figcaption", "", picture.caption), "</figure>\n");
  }
};

bool has_chart(const Section& section) {
  for (const Part& part : section.parts)
    if (std::holds_alternative<ChartPart>(part) || std::holds_alternative<Panels>(part))
      return true;
  return false;
}

}  // namespace

std::string part_html(const Part& part) { return std::visit(Parts(), part); }

std::string html(const Page& page) {
  std::string sections;
  bool charts = false;
  for (const Section& section : page.sections) {
    sections += sentence("<section>\n<h2>", escaped(section.title), "</h2>\n");
    for (const Part& part : section.parts) sections += part_html(part);
    sections += "</section>\n";
    charts = charts || has_chart(section);
  }
  std::string scripts;
  if (charts) scripts += sentence("<script>\n", resource("chart.min.js"), "</script>\n");
  scripts += sentence("<script>\n", resource("page.js"), "</script>\n");
  return filled(resource("page.html"),
                {{"title", escaped(page.title)},
                 {"about", escaped(page.about)},
                 {"verdict", page.verdict.text.empty() ? "" : part_html(Paragraph{page.verdict})},
                 {"style", std::string(resource("page.css"))},
                 {"sections", sections},
                 {"footer", escaped(page.footer)},
                 {"scripts", scripts}});
}

}  // namespace fisherman::cli::report
