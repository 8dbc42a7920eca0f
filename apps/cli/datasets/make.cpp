#include "make.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "fisherman/io/text.hpp"

namespace fisherman::cli::datasets {
namespace {

/// A line of the download, and where it is.
struct Line {
  const ByteSource& source;
  Index number;
  std::string_view text;

  template <class... Parts>
  void expect(bool holds, const Parts&... otherwise) const {
    if (!holds) fail_at(source, number, ": ", otherwise...);
  }
};

using Fields = std::vector<std::string_view>;

/// Between any of `separators`; nothing between two of them is no field.
Fields fields_of(const Line& line, const char* separators, std::size_t count) {
  Fields out;
  for (std::size_t begin = 0; begin < line.text.size();) {
    const std::size_t end = std::min(line.text.find_first_of(separators, begin), line.text.size());
    if (end > begin) out.push_back(line.text.substr(begin, end - begin));
    begin = end + 1;
  }
  line.expect(out.size() == count, "there are ", out.size(), " fields, but must be ", count);
  return out;
}

void append_integer(std::string& out, std::string_view field, const Line& line) {
  const bool digits = field.find_first_not_of("0123456789") == std::string_view::npos;
  line.expect(digits, shown(field), " is not a whole number");
  out.append(field) += ',';
}

std::string trimmed_line(const Line& line) { return std::string(line.text); }

std::string german_line(const Line& line) {
  const Fields fields = fields_of(line, " \t", 25);
  std::string out;
  for (std::size_t k = 0; k < 24; ++k) append_integer(out, fields[k], line);
  const bool bad = fields[24] == "2";
  line.expect(bad || fields[24] == "1", "the class is ", shown(fields[24]), ", but must be 1 or 2");
  return out + (bad ? "1" : "0");
}

std::string census_line(const Line& line) {
  const Fields fields = fields_of(line, ", \t", 15);
  std::string out;
  for (const std::size_t k : {0, 2, 4, 10, 11, 12}) append_integer(out, fields[k], line);
  const bool above = fields[14] == ">50K";
  line.expect(above || fields[14] == "<=50K", "the income is ", shown(fields[14]),
              ", but must be >50K or <=50K");
  return out + (above ? "1" : "0");
}

struct Make {
  const char *name, *header;
  std::string (*line)(const Line&);
};

constexpr std::array makes = {
    Make{"trim", "", trimmed_line},
    Make{"german",
         "status,duration,credit_history,credit_amount,savings,employment_duration,"
         "personal_status_sex,present_residence,Property,age,other_installment_plans,"
         "number_credits,people_liable,telephone,foreign_worker,purpose_1,purpose_2,"
         "other_debtors_1,other_debtors_2,housing_1,housing_2,jobs_1,jobs_2,jobs_3,label\n",
         german_line},
    Make{"census", "age,fnlwgt,education_num,capital_gain,capital_loss,hours_per_week,label\n",
         census_line}};

const Make* find_make(const std::string& name) {
  const auto at =
      std::find_if(makes.begin(), makes.end(), [&](const Make& make) { return make.name == name; });
  return at == makes.end() ? nullptr : &*at;
}

std::string content_of(ByteSource& source) {
  std::string out;
  for (std::string_view window = source.window(); !window.empty(); window = source.window()) {
    out += window;
    source.consume(window.size());
  }
  return out;
}

}  // namespace

std::string converted(const std::string& make, ByteSource& download) {
  const Make* const how = find_make(make);
  require(how != nullptr, "nothing is made by '", make, "'");
  const std::string content = content_of(download);
  std::string out = how->header;
  Index number = 0;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string_view text = std::string_view(content).substr(begin, end - begin);
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    begin = end + 1;
    ++number;
    if (!text.empty())
      out += how->line({download, number, text}) + '\n';  // adult.data ends with one
  }
  return out;
}

bool can_make(const std::string& make) { return find_make(make) != nullptr; }

std::string makes_words() {
  std::string out;
  for (const Make& make : makes) out += sentence(out.empty() ? "" : ", ", make.name);
  return out;
}

}  // namespace fisherman::cli::datasets
