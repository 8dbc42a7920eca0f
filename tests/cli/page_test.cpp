#include "report/html.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fisherman/fit/sections.hpp"

namespace fisherman::cli::report::page_test {
namespace {

/// Strings that would do harm if they got through.
const std::vector<std::string> hostile = {
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"quoted\" onload=\"alert(3)",
    "it's & <b>bold</b> <!-- not a comment",
    "line\xE2\x80\xA8separators\xE2\x80\xA9here",
    "{{scripts}}{{title}}",
    "]]> \\u003c \\ \n \t",
    std::string("nul\0byte\x1b[31m", 13),
    "invalid \xff\xfe UTF-8",
};

/// Every element that is opened is closed, in order. What is inside <script> and <style> is not looked at.
std::string trouble_with_tags(const std::string& html) {
  const std::set<std::string> empty = {"meta", "img"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    if (html[at + 1] == '!') {
      ++at;
      continue;
    }
    const bool closing = html[at + 1] == '/';
    const std::size_t begin = at + (closing ? 2 : 1);
    const std::string name = html.substr(begin, html.find_first_of(" >\n", begin) - begin);
    bool quoted = false;
    std::size_t end = begin;
    for (; html[end] != '>' || quoted; ++end) quoted = quoted != (html[end] == '"');
    at = end + 1;
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      if (html.substr(begin, end - begin) != name) return "</" + name + "> has attributes";
      open.pop_back();
    } else if (!empty.count(name)) {
      open.push_back(name);
      if (name == "script" || name == "style") at = html.find("</" + name, at);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A page with `text` wherever text can be.
Page page_with(const std::string& text) {
  Section section(text);
  section.paragraph(text, Tone::mind).list({{text, Tone::bad}, {text}}).figures({{text, text}});
  section.table({{{text}, {text, true, 3}}, {{{text, {text, Tone::good}}, true, 1}}}, text);
  section.forest({{text, "other"}, {{text, {Forest::Interval{1.0, 0.5, 2.0}, std::nullopt}, 1.0}}});
  section.forest({{text}, {{text, {Forest::Interval{1.0, 0.5, 2.0}}, 1.0}}});
  section
      .chart({.x = {{.name = text}},
              .y = {.name = text},
              .series = {{.name = text, .x = {{1.0}}, .y = {1.0}, .labels = {text}}}},
             text)
      .panels({{text,
                {.x = {{.name = text}},
                 .y = {.name = text},
                 .series = {{.name = text, .x = {{1.0}}, .y = {1.0}, .colour = 1}}}}})
      .picture({Matrix{{1.0, -1.0}}}, 1, 2, text);
  return {text, text, {text, Tone::good}, text, {section}};
}

TEST(Page, NothingHostileGetsThrough) {
  const std::string harmless = html(page_with("x"));
  EXPECT_EQ(trouble_with_tags(harmless), "");
  for (const std::string& text : hostile) {
    const std::string shown = html(page_with(text));
    EXPECT_EQ(trouble_with_tags(shown), "") << text;
    for (const char* tag : {"<script", "</script", "<img", "<b", "<section"})
      EXPECT_EQ(occurrences(shown, tag), occurrences(harmless, tag)) << tag << " from " << text;
    EXPECT_EQ(shown.find("onerror=alert(2)>"), std::string::npos);
    EXPECT_EQ(shown.find("\"quoted\""), std::string::npos);
  }
}

TEST(Page, ScriptJsonComesBackAsItWas) {
  for (const std::string& text : hostile) {
    const std::string json = script_json({{"name", text}, {text, 1}});
    EXPECT_EQ(json.find_first_of("<>&"), std::string::npos) << json;
    EXPECT_EQ(json.find("\xE2\x80\xA8"), std::string::npos);
    EXPECT_EQ(json.find("\xE2\x80\xA9"), std::string::npos);
    if (text.find('\xff') != std::string::npos) continue;  // not text at all: U+FFFD stands for it
    EXPECT_EQ(Json::parse(json)["name"], text);
  }
  const double nan = std::nan(""), infinity = INFINITY;
  EXPECT_EQ(script_json({1.5, nan, infinity, -infinity}), "[1.5,null,null,null]");
}

TEST(Page, NeedsNothingFromAnywhere) {
  const std::string shown = html(page_with("x"));
  for (const char* way : {"src=\"http", "src=\"/", "href=", "@import", "url(", "<link", "<iframe",
                          "fetch(", "XMLHttpRequest", "import(", "sourceMappingURL"})
    EXPECT_EQ(shown.find(way), std::string::npos) << way;
  EXPECT_NE(shown.find("default-src 'none'"),
            std::string::npos);  // and the browser holds it to that
  EXPECT_NE(shown.find("Chart.js v3"), std::string::npos);
  EXPECT_NE(shown.find("MIT License"), std::string::npos);
  const Page plain{"t", "", "", "", {Section("s").paragraph("p")}};
  EXPECT_EQ(html(plain).find("Chart.js"), std::string::npos);  // no chart, no library
}

TEST(Page, EscapesByHand) {
  EXPECT_EQ(escaped("a<b>&\"'\x01\n"), "a&lt;b&gt;&amp;&quot;&#39;\xEF\xBF\xBD\n");
  EXPECT_EQ(escaped("größe κ̂"), "größe κ̂");
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_EQ(base64("M"), "TQ==");
}

TEST(Page, FiguresAreForReading) {
  EXPECT_EQ(figure(0.00110196, 2), "0.0011");
  EXPECT_EQ(figure(8978.4, 3), "8978");
  EXPECT_EQ(figure(1.5e9, 2), "1.5e+09");
  EXPECT_EQ(figure(NAN), "not known");
  EXPECT_EQ(figure(-INFINITY), "-∞");
  EXPECT_EQ(fixed(58.10786, 4), "58.1079");
  EXPECT_EQ(fixed(1e300, 4), "1e+300");
  EXPECT_EQ(fixed(NAN, 2), "not known");
}

TEST(Forest, SharesOneAxisAndCutsWhatGoesFarBeyondIt) {
  Forest forest{{"run"}, {}};
  for (int k = 0; k < 40; ++k) forest.rows.push_back({"x", {Forest::Interval{0.0, -1.0, 1.0}}});
  const std::string even = forest_html(forest);
  EXPECT_NE(even.find("--zero:50.00%"), std::string::npos);
  EXPECT_EQ(even.find("beyond"), std::string::npos);
  forest.rows[7].intervals[0] = Forest::Interval{100.0, 99.0, 101.0};
  forest.rows[8].intervals[0] = Forest::Interval{50.0, 0.0, 100.0};
  const std::string cut = forest_html(forest);
  EXPECT_NE(cut.find(">100 ▸</b>"), std::string::npos);  // all of it is beyond
  EXPECT_NE(cut.find("bar c0 faint over"), std::string::npos);
  EXPECT_NE(cut.find("beyond the axis"), std::string::npos);
}

TEST(Forest, LivesWithNoRowsAndWithNoNumbers) {
  EXPECT_EQ(trouble_with_tags(forest_html({{"run"}, {}})), "");
  const std::string body = forest_html({{"run"}, {{"x", {Forest::Interval{NAN, NAN, NAN}}, NAN}}});
  EXPECT_EQ(trouble_with_tags(body), "");
  EXPECT_EQ(body.find("nan"), std::string::npos);
}

TEST(Course, IsThinnedButKeepsItsExtremes) {
  Course course{"run", {}, {}, {}};
  for (int k = 1; k <= 100000; ++k) {
    course.iterations.push_back(k);
    course.seconds.push_back(0.5 * k);
    course.values.push_back(k == 4567 ? 900.0 : k == 76543 ? 1e-3 : k % 10 == 0 ? NAN : 1.0);
  }
  const Chart chart = course_chart({course}, "y", 0.01);
  const auto& y = chart.series[0].y;
  const auto& x = chart.series[0].x[0];
  EXPECT_LT(y.size(), 700U);
  EXPECT_EQ(*std::max_element(y.begin(), y.end()), 900.0);
  EXPECT_EQ(*std::min_element(y.begin(), y.end()), 0.01);  // the floor
  EXPECT_EQ(x.front(), 1.0);
  EXPECT_EQ(x.back(), 99999.0);
  EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
}

TEST(Course, MilestonesAreReachedForGood) {
  const Course course{"run", {1, 2, 3, 4, 5}, {0.1, 0.2, 0.3, 0.4, 0.5}, {5.0, 0.5, 2.0, NAN, 0.5}};
  const Grid grid = milestones({course}, {10.0, 1.0, 0.1}, "nats");
  EXPECT_EQ(grid.rows[0].cells[1].text, "iteration 1, 0.1 s");
  EXPECT_EQ(grid.rows[1].cells[1].text, "iteration 5, 0.5 s");  // not 2: it went up again
  EXPECT_EQ(grid.rows[2].cells[1].text, "not reached");
}

}  // namespace
}  // namespace fisherman::cli::report::page_test
