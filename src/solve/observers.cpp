#include "fisherman/solve/observers.hpp"

#include <cmath>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>
#include <utility>

namespace fisherman {
namespace {

std::string duration(double seconds) {
  std::ostringstream out;
  if (seconds < 90.0)
    out << std::fixed << std::setprecision(seconds < 10.0 ? 1 : 0) << seconds << " s";
  else if (seconds < 5400.0)
    out << std::lround(seconds / 60.0) << " min";
  else
    out << std::fixed << std::setprecision(1) << seconds / 3600.0 << " h";
  return out.str();
}

}  // namespace

std::string Trace::csv_header() {
  std::ostringstream out;
  const char* separator = "";
  Record().for_each_column(
      [&](const char* name, auto) { out << std::exchange(separator, ",") << name; });
  out << '\n';
  return out.str();
}

std::string Trace::csv_line(const Record& r) {
  std::ostringstream out;
  out << std::setprecision(std::numeric_limits<double>::max_digits10);
  const char* separator = "";
  r.for_each_column([&](const char*, auto value) {
    out << std::exchange(separator, ",");
    if (!std::isnan(double(value))) out << value;
  });
  out << '\n';
  return out.str();
}

void Trace::write_csv(std::ostream& out) const {
  out << csv_header();
  for (const Record& r : records_) out << csv_line(r);
}

void Progress::show(const Record& r) {
  if (first_ < 0) {  // a resumed run starts counting here
    first_ = r.iteration;
    first_seconds_ = r.seconds;
  }
  if (!std::isnan(r.objective)) objective_ = r.objective;
  const bool last = r.last;
  if (!last && r.seconds - shown_seconds_ < 0.2) return;
  shown_seconds_ = r.seconds;
  const double rate =
      std::max(1.0, double(r.iteration - first_)) / std::max(r.seconds - first_seconds_, 1e-9);
  std::ostringstream line;
  line << '\r' << std::setw(8) << r.iteration;
  if (total_ > 0) line << '/' << total_ << std::setw(4) << 100 * r.iteration / total_ << '%';
  line << " | " << std::setprecision(4) << rate << " it/s | ";
  if (total_ > 0)
    line << duration(double(total_ - r.iteration) / rate) << " left";
  else
    line << duration(r.seconds);
  if (!std::isnan(objective_)) line << " | objective " << std::setprecision(7) << objective_;
  if (!std::isnan(r.predicted)) line << " | to gain " << std::setprecision(3) << r.predicted;
  if (r.rejected > 0) line << " | rejected " << r.rejected;
  line << "   " << (last ? "\n" : "");
  *out_ << line.str() << std::flush;
}

}  // namespace fisherman
