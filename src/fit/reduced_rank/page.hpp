// What the parts of the page of reduced-rank fits share.
#pragma once

#include "fisherman/fit/sections.hpp"
#include "fitted.hpp"

namespace fisherman::reduced_rank_report {

struct Fit {
  const ReportedFit& run;
  const ReducedRankFitted& model;
  Components parts;  // of the coefficients

  double value(const char* key) const { return model.best.number(key); }
  bool tested() const { return model.tested(); }
  /// Why there is no finite maximum, or no standard errors; empty if nothing is known.
  std::string said(const char* key) const {
    return model.best.has(key) ? model.best.text(key) : "";
  }
  Index rank() const { return parts.s.size(); }
  std::string base() const { return model.classes.back(); }
};

using Fits = std::vector<Fit>;

std::string percent(double share);

// page_coefficients.cpp
report::Section spectrum_section(const Fits& fits);
void add_pictures(report::Section& section, const Fit& fit);
void add_biplot(report::Section& section, const Fit& fit);
void add_coefficients(report::Section& section, const Fit& fit);
void add_confusion(report::Section& section, const Fit& fit);

}  // namespace fisherman::reduced_rank_report
