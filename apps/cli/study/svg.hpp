// A figure fit for a paper: panels in rows, each with lines and bands, as one SVG file.
#pragma once

#include <string>
#include <vector>

#include "summary.hpp"

namespace fisherman::cli::study {

struct Panel {
  std::string title;
  std::vector<Band> bands;
  std::vector<int> colours;  // of the bands: the same method has the same one in every panel
};

struct Figure {
  std::string x_name, y_name;
  bool log = true, log_x = false;
  double floor = 1e-6;  // the least that is drawn, if `log`
  std::vector<std::vector<Panel>> rows = {};
};

std::string svg(const Figure& figure);

}  // namespace fisherman::cli::study
