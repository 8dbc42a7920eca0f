#include "svg.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "../report/html.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {
namespace {

// Those of the pages (page.css).
constexpr const char* colours[] = {"#0b62a8", "#c8500a", "#13795b", "#8a3d9c",
                                   "#a8760a", "#c02b5f", "#3f6f8f", "#5c5c5c"};

constexpr double width = 260, height = 190, left = 52, right = 12, top = 26, bottom = 38;
constexpr double legend_line = 16;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(double v) {
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
};

/// From values to places on the paper.
struct Scale {
  double from, to, at_from, at_to;
  bool log;
  double operator()(double v) const {
    const double share = log ? std::log(v / from) / std::log(to / from) : (v - from) / (to - from);
    return at_from + share * (at_to - at_from);
  }
};

/// 1, 2 or 5 times a power of ten, so that there are about five.
double tick_step(double span) {
  const double power = std::pow(10.0, std::floor(std::log10(span / 4.0)));
  const double rest = span / 4.0 / power;
  return power * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0);
}

std::string text(double x, double y, const char* anchor, const std::string& what,
                 const std::string& more = "") {
  return sentence("<text x=\"", x, "\" y=\"", y, "\" text-anchor=\"", anchor, "\"", more, ">",
                  report::escaped(what), "</text>\n");
}

/// 10 with a raised exponent.
std::string power_of_ten(double x, double y, int exponent) {
  return sentence("<text x=\"", x, "\" y=\"", y,
                  "\" text-anchor=\"end\">10<tspan dy=\"-4\" font-size=\"8\">", exponent,
                  "</tspan></text>\n");
}

/// Powers of ten on a logarithmic axis, also their double and fivefold where there are fewer than three, and
/// round numbers where there are fewer than three even so: one tick alone does not make an axis.
std::vector<double> ticks_of(const Scale& scale) {
  const double low = scale.from * 0.999999, high = scale.to * 1.000001;
  std::vector<double> out;
  if (scale.log) {
    for (const std::vector<double>& within : {std::vector<double>{1.0}, {1.0, 2.0, 5.0}}) {
      out.clear();
      for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high; power *= 10.0)
        for (const double m : within)
          if (m * power >= low && m * power <= high) out.push_back(m * power);
      if (out.size() >= 3) return out;
    }
    out.clear();
  }
  const double step = tick_step(scale.to - scale.from);
  for (double t = std::ceil(scale.from / step - 1e-9) * step; t <= scale.to + 1e-9 * step;
       t += step)
    out.push_back(t);
  return out;
}

class Drawing {
 public:
  explicit Drawing(const Figure& figure) : figure_(figure) { out_ << std::setprecision(5); }

  /// Panels of a row share a logarithmic vertical axis; a linear one is each panel's own.
  void row(const std::vector<Panel>& panels, double y) {
    Range all;
    for (const Panel& panel : panels) take(panel, all);
    for (std::size_t k = 0; k < panels.size(); ++k) {
      Range values;
      take(panels[k], values);
      panel(panels[k], double(k) * width, y, rounded(figure_.log ? all : values), k == 0);
    }
  }

  /// Returns the height that it takes.
  double legend(const std::vector<Panel>& panels, double y, double across) {
    double x = left, below = 0.0;
    for (std::size_t b = 0; b < panels[0].bands.size(); ++b) {
      const std::string& name = panels[0].bands[b].label;
      const double wide = 40 + 6.0 * double(name.size());
      if (x > left && x + wide > across) x = left, below += legend_line;
      const double here = y + below;
      out_ << "<line x1=\"" << x << "\" x2=\"" << x + 18 << "\" y1=\"" << here << "\" y2=\"" << here
           << "\" stroke=\"" << colour(panels[0], b) << "\" stroke-width=\"2\"/>\n"
           << text(x + 23, here + 4, "start", name);
      x += wide;
    }
    return below + legend_line;
  }

  std::string text_out() const { return out_.str(); }

 private:
  void take(const Panel& panel, Range& values) const {
    for (const Band& band : panel.bands)
      for (const double mean : band.mean) values.take(shown(mean));
  }

  /// Out to the next ticks.
  Range rounded(Range values) const {
    if (!(values.low <= values.high)) values = {1.0, 10.0};
    if (figure_.log) {
      values.low = std::pow(10.0, std::floor(std::log10(values.low)));
      values.high = std::pow(10.0, std::ceil(std::log10(values.high)));
      if (values.low == values.high) values.high *= 10.0;
    } else {
      const double step = tick_step(std::max(values.high - values.low, 1e-12));
      values = {std::floor(values.low / step) * step, std::ceil(values.high / step) * step};
      if (values.low == values.high) values.high += step;
    }
    return values;
  }

  double shown(double v) const { return figure_.log ? std::max(v, figure_.floor) : v; }
  static const char* colour(const Panel& panel, std::size_t band) {
    return colours[panel.colours[band] % 8];
  }

  void panel(const Panel& panel, double x0, double y0, const Range& values, bool first) {
    Range iterations;
    if (!figure_.log_x) iterations.take(0.0);
    for (const Band& band : panel.bands)
      for (const double i : band.iterations) iterations.take(i);
    if (!(iterations.high > iterations.low)) iterations = {1.0, 10.0};
    const Scale x{iterations.low, iterations.high, x0 + left, x0 + width - right, figure_.log_x};
    const Scale y{values.low, values.high, y0 + height - bottom, y0 + top, figure_.log};
    axes(panel, x, y, first);
    for (std::size_t b = 0; b < panel.bands.size(); ++b)
      line(panel.bands[b], colour(panel, b), x, y);
  }

  void axes(const Panel& panel, const Scale& x, const Scale& y, bool first) {
    const double middle = 0.5 * (x.at_from + x.at_to);
    out_ << text(middle, y.at_to - 9, "middle", panel.title, " font-weight=\"bold\"");
    for (const double tick : ticks_of(x))
      out_ << "<line class=\"grid\" x1=\"" << x(tick) << "\" x2=\"" << x(tick) << "\" y1=\""
           << y.at_from << "\" y2=\"" << y.at_to << "\"/>\n"
           << text(x(tick), y.at_from + 13, "middle", report::figure(tick, 6));
    const auto rule = [&](double v) {
      out_ << "<line class=\"grid\" x1=\"" << x.at_from << "\" x2=\"" << x.at_to << "\" y1=\""
           << y(v) << "\" y2=\"" << y(v) << "\"/>\n";
    };
    if (figure_.log) {
      const int lowest = int(std::lround(std::log10(y.from))),
                highest = int(std::lround(std::log10(y.to)));
      const int every = (highest - lowest) / 7 + 1;
      for (int e = lowest; e <= highest; e += every) {
        rule(std::pow(10.0, e));
        out_ << power_of_ten(x.at_from - 5, y(std::pow(10.0, e)) + 4, e);
      }
    } else {
      for (const double tick : ticks_of({y.from, y.to, 0, 1, false})) {
        rule(tick);
        out_ << text(x.at_from - 5, y(tick) + 4, "end", report::figure(tick, 6));
      }
    }
    out_ << text(middle, y.at_from + 28, "middle", figure_.x_name);
    if (first) {
      const double at = 0.5 * (y.at_from + y.at_to);
      out_ << text(12, at, "middle", figure_.y_name,
                   sentence(" transform=\"rotate(-90 12 ", at, ")\""));
    }
  }

  void line(const Band& band, const char* colour, const Scale& x, const Scale& y) {
    if (band.mean.empty()) return;
    const auto place = [&](double value) {
      return std::clamp(y(std::clamp(shown(value), y.from, y.to)), y.at_to, y.at_from);
    };
    std::ostringstream edge, middle;
    edge << std::setprecision(5);
    middle << std::setprecision(5);
    for (std::size_t k = 0; k < band.mean.size(); ++k) {
      edge << x(band.iterations[k]) << ',' << place(band.mean[k] + band.error[k]) << ' ';
      middle << x(band.iterations[k]) << ',' << place(band.mean[k]) << ' ';
    }
    for (std::size_t k = band.mean.size(); k-- > 0;)
      edge << x(band.iterations[k]) << ',' << place(band.mean[k] - band.error[k]) << ' ';
    out_ << "<polygon points=\"" << edge.str() << "\" fill=\"" << colour
         << "\" fill-opacity=\"0.2\"/>\n<polyline points=\"" << middle.str()
         << "\" fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"1.5\"/>\n";
  }

  const Figure& figure_;
  std::ostringstream out_;
};

}  // namespace

std::string svg(const Figure& figure) {
  Drawing drawing(figure);
  double y = 0.0;
  std::size_t most = 0;
  for (const std::vector<Panel>& row : figure.rows) most = std::max(most, row.size());
  const double across = double(most) * width + 4;
  for (const std::vector<Panel>& row : figure.rows) {
    drawing.row(row, y);
    y += height;
    y += drawing.legend(row, y + 4, across) + 8;
  }
  return sentence(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", across, " ", y, "\" width=\"",
      across, "\" height=\"", y,
      "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"#1b1f24\">\n"
      "<style>.grid { stroke: #d9dee4; stroke-width: 0.7 }</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      drawing.text_out(), "</svg>\n");
}

}  // namespace fisherman::cli::study
