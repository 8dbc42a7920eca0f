#include "fisherman/fit/draws_csv.hpp"

#include <gtest/gtest.h>

namespace fisherman::fit_draws_csv_test {
namespace {

TEST(DrawsCsv, NamesAreThoseOfTheColumnsAsStanReadsThem) {
  const std::vector<std::string> names = {"mean radius (cm)",
                                          "(intercept)",
                                          "unit1.a",
                                          "größe",
                                          "2nd",
                                          "a,b",
                                          "a b",
                                          "a.b",
                                          "lp__",
                                          "",
                                          "a_b_2"};
  EXPECT_EQ(stan_names(names),
            (std::vector<std::string>{"mean_radius_cm", "intercept", "unit1_a", "gr_e", "x2nd",
                                      "a_b", "a_b_2", "a_b_3", "lp", "x", "a_b_2_2"}));
}

TEST(DrawsCsv, SaysWhichUnitsAndWhichColumnIsWhich) {
  const std::string text =
      draws_csv("logistic", Units::own,
                {{"a b", "(intercept)"}, Matrix{{1.0, 2.0}}, Vector{{-3.0}}, Vector{{-4.0}}});
  EXPECT_NE(text.find("# units = own"), std::string::npos);
  EXPECT_NE(text.find("# a_b = a b\n# intercept = (intercept)\n"), std::string::npos);
  EXPECT_NE(text.find("\nlp__,log_p__,log_g__,a_b,intercept\n0,-3,-4,1,2\n"), std::string::npos);
}

}  // namespace
}  // namespace fisherman::fit_draws_csv_test
