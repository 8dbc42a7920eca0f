#include "fisherman/fit/sections.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "fisherman/core/error.hpp"
#include "fisherman/io/byte_source.hpp"

namespace fisherman::report {
namespace {

constexpr std::size_t stretches =
    300;  // of a line that is drawn; a screen has not many more columns

/// Which points of a course to draw: the lowest and the highest of each stretch, and the ends.
std::vector<std::size_t> thinned(const std::vector<double>& values) {
  std::vector<std::size_t> known, out;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (std::isfinite(values[k])) known.push_back(k);
  if (known.size() <= 2 * stretches) return known;
  const auto by_value = [&](std::size_t a, std::size_t b) { return values[a] < values[b]; };
  out.push_back(known.front());
  for (std::size_t s = 0; s < stretches; ++s) {
    const auto first = known.begin() + std::ptrdiff_t(s * known.size() / stretches);
    const auto last = known.begin() + std::ptrdiff_t((s + 1) * known.size() / stretches);
    const auto [low, high] = std::minmax_element(first, last, by_value);
    for (const std::size_t k : {std::min(*low, *high), std::max(*low, *high)})
      if (k > out.back()) out.push_back(k);
  }
  if (out.back() != known.back()) out.push_back(known.back());
  return out;
}

}  // namespace

Chart course_chart(const std::vector<Course>& courses, const std::string& y_name,
                   std::optional<double> floor) {
  Chart chart{.x = {{.name = "iteration"}, {.name = "seconds"}},
              .y = {.name = y_name, .log = floor.has_value()}};
  for (const Course& course : courses) {
    std::vector<double> iterations, seconds, values;
    for (const std::size_t k : thinned(course.values)) {
      iterations.push_back(course.iterations[k]);
      seconds.push_back(course.seconds[k]);
      values.push_back(floor ? std::max(course.values[k], *floor) : course.values[k]);
    }
    chart.series.push_back({.name = course.name, .x = {iterations, seconds}, .y = values});
  }
  return chart;
}

Grid milestones(const std::vector<Course>& courses, const std::vector<double>& levels,
                const std::string& level_name) {
  Grid grid;
  grid.columns.push_back({level_name});
  for (std::size_t c = 0; c < courses.size(); ++c)
    grid.columns.push_back(
        {courses.size() == 1 ? "from" : courses[c].name, true, courses.size() == 1 ? -1 : int(c)});
  for (const double level : levels) {
    Grid::Row row{{Cell(figure(level))}};
    for (const Course& course : courses) {
      std::size_t from =
          course.values.size();  // the first of the values below the level at the end
      for (std::size_t k = course.values.size(); k-- > 0;) {
        if (std::isnan(course.values[k])) continue;
        if (!(course.values[k] < level)) break;
        from = k;
      }
      row.cells.emplace_back(from == course.values.size()
                                 ? "not reached"
                                 : sentence("iteration ", figure(course.iterations[from], 10), ", ",
                                            figure(course.seconds[from], 2), " s"));
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

std::string status_words(const ReportedFit& reported) {
  switch (reported.fit->summary.status) {
    case Status::settled:
      return "ended as planned, with little left to gain by its own estimate";
    case Status::iterations_done:
      return reported.settings.number("iterations") > 0.0
                 ? "did the iterations it was asked for"
                 : "ran out of iterations before it converged";
    case Status::time_is_up:
      return "ran out of time before it converged";
    case Status::interrupted:
      return "was interrupted before it converged";
    default:
      return status_word(reported);
  }
}

std::string status_word(const ReportedFit& reported) {
  const Status status = reported.fit->summary.status;
  return status == Status::iterations_done ? "all iterations done"
         : status == Status::time_is_up    ? "time was up"
                                           : std::string(name(status));
}

Tone status_tone(const ReportedFit& reported) {
  switch (reported.fit->summary.status) {
    case Status::converged:
      return Tone::good;
    case Status::settled:
      return Tone::plain;
    case Status::diverged:
    case Status::unbounded:
      return Tone::bad;
    default:
      return Tone::mind;
  }
}

Tone khat_tone(double khat) {
  if (std::isnan(khat)) return Tone::plain;
  return khat < 0.7 ? Tone::good : Tone::mind;
}

void add_overview(Section& section, const Grid& grid) {
  if (grid.rows.size() > 1) {
    section.table(grid);
    return;
  }
  std::vector<std::pair<std::string, Cell>> facts;
  for (std::size_t c = 1; c < grid.columns.size(); ++c)
    facts.emplace_back(grid.columns[c].title, grid.rows[0].cells[c]);
  section.figures(facts);
}

std::string data_name(const ReportedFit& fit) {
  const std::string name = name_of_file(fit.settings.text("data"));
  return std::filesystem::path(name).filename().string();
}

Section settings_section(const std::vector<ReportedFit>& fits) {
  Section section("Settings");
  const bool alone = fits.size() == 1;
  Grid all;
  all.columns.push_back({"option"});
  for (std::size_t k = 0; k < fits.size(); ++k)
    all.columns.push_back({alone ? "value" : fits[k].name, false, alone ? -1 : int(k)});
  all.columns.push_back({"what it is"});
  Grid marked{all.columns, {}};
  const auto add = [&](const std::string& key, const std::string& help, const std::string& usual) {
    Grid::Row row{{Cell(key)}};
    for (const ReportedFit& one : fits) {
      const std::string value = one.settings.text(key);
      if (alone ? !usual.empty() && !value.empty() && value != usual
                : value != fits[0].settings.text(key))
        row.marked = true;
      row.cells.emplace_back(value.empty() ? "–" : value);
    }
    row.cells.emplace_back(help);
    if (row.marked) marked.rows.push_back(row);
    all.rows.push_back(std::move(row));
  };
  add("data", "the file", "");
  add("checksum", "of the file", "");
  add("label", "the column of classes", "");
  for (const ReportedFit& one : fits)
    if (one.settings.has("labels")) {
      add("labels", "the file of classes", "");
      break;
    }
  for (const Options::Option& option : fit_kind(fits[0].settings.text("fit")).options().all())
    add(option.name, option.help, option.initial);
  add("version", "of the program", "");
  if (marked.rows.empty()) {
    section.paragraph(alone ? "All options were left at their defaults."
                            : "The runs have the same settings.");
  } else {
    section.paragraph(alone ? "What was not left at its default:" : "Where the runs differ:");
    section.table(marked);
  }
  return section.table(all, "All settings");
}

}  // namespace fisherman::report
