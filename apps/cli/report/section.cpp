#include "page.hpp"

#include "fisherman/core/error.hpp"

namespace fisherman::cli::report {
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

}  // namespace

Section& Section::paragraph(std::string_view text, Tone tone) {
  body_ += sentence(element("p", said(tone), text), '\n');
  return *this;
}

Section& Section::list(const std::vector<Cell>& items) {
  body_ += "<ul>\n";
  for (const Cell& item : items) body_ += sentence(element("li", said(item.tone), item.text), '\n');
  body_ += "</ul>\n";
  return *this;
}

Section& Section::figures(const std::vector<std::pair<std::string, Cell>>& facts) {
  body_ += "<dl class=\"figures\">\n";
  for (const auto& [name, value] : facts)
    body_ += sentence("<div>", element("dt", "", name),
                      element("dd", tone_class(value.tone), value.text), "</div>\n");
  body_ += "</dl>\n";
  return *this;
}

Section& Section::table(const Grid& grid, std::string_view summary) {
  if (!summary.empty()) body_ += sentence("<details>", element("summary", "", summary), '\n');
  body_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
  for (const Grid::Column& column : grid.columns)
    body_ += sentence(column.number ? "<th class=\"number\">" : "<th>", key(column.colour),
                      escaped(column.title), "</th>");
  body_ += "</tr></thead>\n<tbody>\n";
  for (const Grid::Row& row : grid.rows) {
    body_ += row.marked ? "<tr class=\"marked\">" : "<tr>";
    for (std::size_t k = 0; k < row.cells.size(); ++k) {
      const bool number = k < grid.columns.size() && grid.columns[k].number;
      const std::string classes = tone_class(row.cells[k].tone) + (number ? " number" : "");
      if (k == 0)
        body_ +=
            sentence("<th scope=\"row\">", key(row.colour), escaped(row.cells[k].text), "</th>");
      else
        body_ += element("td", classes, row.cells[k].text);
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
  if (!summary.empty()) body_ += "</details>\n";
  return *this;
}

Section& Section::chart(const Json& spec, std::string_view caption) {
  has_chart_ = true;
  body_ += chart_element(spec, caption, "", element("figcaption", "", caption));
  return *this;
}

Section& Section::panels(const std::vector<std::pair<std::string, Json>>& charts) {
  has_chart_ = true;
  body_ += "<div class=\"panels\">\n";
  for (const auto& [title, spec] : charts) {
    Json bare = spec;
    bare["legend"] = false;
    body_ += chart_element(bare, title, element("h3", "", title), "");
  }
  body_ += "</div>\n<p class=\"legend\">";
  for (const Json& series : charts.at(0).second.at("series"))
    body_ += sentence("<span>", key(series.at("colour").get<int>()),
                      escaped(series.at("name").get<std::string>()), "</span>");
  body_ += "</p>\n";
  return *this;
}

Section& Section::picture(std::string_view type, std::string_view bytes, std::string_view caption) {
  body_ +=
      sentence("<figure><img alt=\"", escaped(caption), "\" src=\"data:", escaped(type), ";base64,",
               base64(bytes), "\">", element("figcaption", "", caption), "</figure>\n");
  return *this;
}

}  // namespace fisherman::cli::report
