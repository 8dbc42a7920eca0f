// For the tests of the readers: files of a moment, and the sentences that errors must have.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include "fisherman/core/error.hpp"
#include "fisherman/io/byte_source.hpp"

namespace fisherman {

/// `body` must throw FileError, with each of `parts` in its sentence.
template <class Body>
void expect_file_error(Body body, std::initializer_list<std::string> parts) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown; expected a sentence with '" << *parts.begin() << "'";
  } catch (const FileError& e) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
          << "'" << part << "' is not in: " << e.what();
  }
}

/// A .npy file: the header, as Python writes it, and the values' bytes.
inline std::string npy(const std::string& header, const std::string& values, int version = 1) {
  const std::string text = header + "\n";
  std::string bytes = std::string("\x93NUMPY") + char(version) + '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) bytes += char((text.size() >> (8 * k)) & 255);
  return bytes + text + values;
}
inline std::string npy_header(const std::string& type, const std::string& shape,
                              bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

/// A folder for the files of one test.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = (std::filesystem::temp_directory_path() / "fisherman-io-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr) << test->name();
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  std::filesystem::path write_gz(const std::string& name, const std::string& content) const {
    const auto path = folder_ / name;
    const gzFile file = gzopen(path.c_str(), "wb1");
    EXPECT_EQ(gzwrite(file, content.data(), unsigned(content.size())), int(content.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path;
  }
  std::string bytes_of(const std::filesystem::path& path) const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path folder_;
};

}  // namespace fisherman
