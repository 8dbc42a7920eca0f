#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "html.hpp"

namespace fisherman::cli::report {
namespace {

/// The axis that all intervals share, with zero on it and round numbers to mark it. A few very long
/// intervals must not squeeze all the others together: then the axis ends before they do.
struct Axis {
  double low = 0.0, high = 0.0, step = 1.0;
  bool cuts = false;

  explicit Axis(const Forest& forest) {
    std::vector<double> lows = {0.0}, highs = {0.0};
    for (const auto& row : forest.rows)
      for (const auto& i : row.intervals)
        if (i && std::isfinite(i->low) && std::isfinite(i->high)) {
          lows.push_back(i->low);
          highs.push_back(i->high);
        }
    std::sort(lows.begin(), lows.end());
    std::sort(highs.begin(), highs.end());
    low = lows.front(), high = highs.back();
    const double usual_low = lows[lows.size() / 20], usual_high = highs[highs.size() * 19 / 20];
    const double usual = std::max(usual_high, 0.0) - std::min(usual_low, 0.0);
    if (high - low > 2.5 * usual && usual > 0.0) {
      cuts = true;
      low = std::max(low, usual_low - 0.5 * usual);
      high = std::min(high, usual_high + 0.5 * usual);
    }
    if (low == high) low -= 1.0, high += 1.0;
    const double margin = 0.02 * (high - low);
    low -= margin, high += margin;
    const double rough = (high - low) / 4.0, power = std::pow(10.0, std::floor(std::log10(rough)));
    const double digit = rough / power;
    step = power * (digit > 5.0 ? 10.0 : digit > 2.0 ? 5.0 : digit > 1.0 ? 2.0 : 1.0);
  }

  double percent(double x) const { return 100.0 * (std::clamp(x, low, high) - low) / (high - low); }

  std::string marks() const {
    std::string out;
    for (double k = std::ceil(low / step); k * step <= high; ++k)
      out += sentence("<span style=\"left:", fixed(percent(k * step), 2), "%\">",
                      figure(k * step + 0.0, 3), "</span>");
    return out;
  }
};

std::string words(const Forest::Interval& i) {
  return sentence(fixed(i.middle, 3), " (", fixed(i.low, 3), " to ", fixed(i.high, 3), ")");
}

std::string drawn(const Forest::Interval& i, std::size_t series, const Axis& axis) {
  if (!std::isfinite(i.low) || !std::isfinite(i.middle) || !std::isfinite(i.high)) return "";
  const std::string colour = sentence(" c", series % 8);
  const char* faint = i.low <= 0.0 && i.high >= 0.0 ? " faint" : "";
  const char* cut = i.high > axis.high ? " over" : i.low < axis.low ? " under" : "";
  const std::string lane = sentence(" style=\"--lane:", series, ";left:");
  if (i.low > axis.high)  // all of it: say where it is
    return sentence("<b class=\"beyond", colour, "\"", lane, "auto;right:0\">", figure(i.middle, 3),
                    " ▸</b>");
  if (i.high < axis.low)
    return sentence("<b class=\"beyond", colour, "\"", lane, "0\">◂ ", figure(i.middle, 3), "</b>");
  const double from = axis.percent(i.low), to = axis.percent(i.high);
  return sentence("<i class=\"bar", colour, faint, cut, "\"", lane, fixed(from, 2),
                  "%;width:", fixed(to - from, 2), "%\"></i><i class=\"dot", colour, faint, "\"",
                  lane, fixed(axis.percent(i.middle), 2), "%\"></i>");
}

std::string legend(const std::vector<std::string>& series) {
  std::string out = "<p class=\"legend\">";
  for (std::size_t k = 0; k < series.size(); ++k)
    out += sentence("<span><i class=\"key c", k % 8, "\"></i>", escaped(series[k]), "</span>");
  return out + "</p>\n";
}

}  // namespace

std::string forest_html(const Forest& forest) {
  std::string out;
  const Axis axis(forest);
  const bool alone = forest.series.size() == 1;
  if (!alone) out += legend(forest.series);
  out +=
      sentence("<table class=\"forest\" data-shown=\"", forest.shown,
               "\" style=\"--lanes:", forest.series.size(), ";--zero:", fixed(axis.percent(0.0), 2),
               "%\">\n<thead><tr><td></td><td class=\"axis\">", axis.marks(), "</td>",
               alone ? "<td class=\"words\"></td>" : "", "</tr></thead>\n<tbody>\n");
  for (const Forest::Row& row : forest.rows) {
    std::string bars, tip = row.name;
    for (std::size_t k = 0; k < row.intervals.size(); ++k)
      if (const auto& interval = row.intervals[k]) {
        bars += drawn(*interval, k, axis);
        tip += sentence("\n", alone ? "" : forest.series[k] + ": ", words(*interval));
      }
    out += sentence("<tr data-strength=\"", figure(row.strength, 6), "\" title=\"", escaped(tip),
                    "\"><th scope=\"row\">", escaped(row.name), "</th><td class=\"plot\">", bars,
                    "</td>");
    if (alone)
      out += sentence("<td class=\"words\">", row.intervals[0] ? words(*row.intervals[0]) : "",
                      "</td>");
    out += "</tr>\n";
  }
  out += "</tbody></table>\n";
  if (axis.cuts)
    out += part_html(Paragraph{Cell("Intervals with an arrow go on beyond the axis.")});
  return out;
}

}  // namespace fisherman::cli::report
