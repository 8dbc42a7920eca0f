// Sections that pages of every kind of fit have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/fit_kind.hpp"

namespace fisherman::report {

/// What one run came to on its way: values at iterations. NaN where there is none.
struct Course {
  std::string name;
  std::vector<double> iterations, seconds, values;
};

/// The courses against iterations and seconds. With a `floor` the axis is logarithmic, and values at or
/// below it are drawn there. Long ones are thinned out, keeping the extremes of every stretch.
Chart course_chart(const std::vector<Course>& courses, const std::string& y_name,
                   std::optional<double> floor);

/// When each course came below each level for good.
Grid milestones(const std::vector<Course>& courses, const std::vector<double>& levels,
                const std::string& level_name);

/// How a run ended, as a sentence goes on with it ("converged"), and as a table says it.
std::string status_words(const ReportedFit& fit);
std::string status_word(const ReportedFit& fit);
Tone status_tone(const ReportedFit& fit);

/// Of Pareto k̂: below 0.7 is good.
Tone khat_tone(double khat);

/// A table with a run a row; of one run its cells as figures, without the name.
void add_overview(Section& section, const Grid& grid);

/// The options in which runs differ, or one run from the defaults; and all of them, folded away.
Section settings_section(const std::vector<ReportedFit>& fits);

/// The name of the file of a fit's data.
std::string data_name(const ReportedFit& fit);

}  // namespace fisherman::report
