// Sections that pages of every kind of fit have.
#pragma once

#include <string>
#include <vector>

#include "fisherman/app/options.hpp"
#include "page.hpp"
#include "run.hpp"

namespace fisherman::cli::report {

/// What one run came to on its way: values at iterations. NaN where there is none.
struct Course {
  std::string name;
  std::vector<double> iterations, seconds, values;
};

/// The courses against iterations and seconds, on a logarithmic axis; values at or below `floor` are
/// drawn there. Long ones are thinned out, keeping the extremes of every stretch.
Json course_chart(const std::vector<Course>& courses, const std::string& y_name, double floor);

/// When each course came below each level for good.
Grid milestones(const std::vector<Course>& courses, const std::vector<double>& levels,
                const std::string& level_name);

/// The options in which runs differ, or one run from the defaults; and all of them, folded away.
Section settings_section(const std::vector<Run>& runs, const Options& options);

}  // namespace fisherman::cli::report
