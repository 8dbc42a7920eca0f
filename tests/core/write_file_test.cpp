// Files that come out: nothing else of the user's is touched.

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::core_write_file_test {
namespace {

namespace fs = std::filesystem;

class WriteFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "fisherman-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
  }
  long files() const { return std::distance(fs::directory_iterator(folder_), {}); }
  static mode_t permissions(const fs::path& path) {
    struct stat there = {};
    EXPECT_EQ(stat(path.c_str(), &there), 0);
    return there.st_mode & 07777;
  }
  void expect_refused(const fs::path& path, const std::string& part) const {
    try {
      write_file(path, "new");
      ADD_FAILURE() << "nothing was thrown for " << path;
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
    }
  }
  fs::path folder_;
};

TEST_F(WriteFile, LeavesAFileOfTheUserThatLooksTemporary) {
  const fs::path path = folder_ / "X", users = folder_ / "X.tmp", victim = folder_ / "victim";
  std::ofstream(users) << "mine";
  write_file(path, "new");
  EXPECT_EQ(content(users), "mine");
  fs::remove(users);
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, users);
  write_file(path, "newer");
  EXPECT_EQ(content(path), "newer");
  EXPECT_EQ(content(victim), "precious");
  EXPECT_EQ(files(), 3);
}

TEST_F(WriteFile, RefusesWhatIsNoRegularFile) {
  const fs::path victim = folder_ / "victim", link = folder_ / "link", nowhere = folder_ / "gone";
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, link);
  fs::create_symlink(folder_ / "not-there", nowhere);
  fs::create_directory(folder_ / "inner");
  expect_refused(link, "symbolic link");
  expect_refused(nowhere, "symbolic link to nothing");
  expect_refused(folder_ / "inner", "is a folder");
  expect_refused(folder_ / "none" / "X", "No such file");
  EXPECT_EQ(content(victim), "precious");
  EXPECT_FALSE(fs::exists(folder_ / "not-there"));
  EXPECT_EQ(files(), 4);
}

TEST_F(WriteFile, WritesToDevicesAndPipesAsStreams) {
  const fs::path null = folder_ / "null", pipe = folder_ / "pipe";
  fs::create_symlink("/dev/null", null);
  write_file(null, "gone");
  EXPECT_TRUE(fs::is_symlink(null));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content(pipe); });
  write_file(pipe, std::string(100000, 'x'));
  reader.join();
  EXPECT_EQ(read, std::string(100000, 'x'));
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(WriteFile, HasThePermissionsOfTheUmaskOrOfTheFileItReplaces) {
  const mode_t before = umask(027);
  write_file(folder_ / "new", "x");
  umask(before);
  EXPECT_EQ(permissions(folder_ / "new"), mode_t(0640));
  ASSERT_EQ(chmod((folder_ / "new").c_str(), 0604), 0);
  write_file(folder_ / "new", "y");
  EXPECT_EQ(permissions(folder_ / "new"), mode_t(0604));
  EXPECT_EQ(content(folder_ / "new"), "y");
}

TEST_F(WriteFile, KeepsAFileThatIsWriteProtected) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anything";
  const fs::path path = folder_ / "X";
  std::ofstream(path) << "old";
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  expect_refused(path, "Permission denied");
  EXPECT_EQ(content(path), "old");
}

TEST_F(WriteFile, LeavesNothingOfAFileThatIsTooLarge) {
  const fs::path path = folder_ / "X";
  write_file(path, "old");
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &small);
    try {
      write_file(path, std::string(5000, 'x'));
    } catch (const FileError&) {
      _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files(), 1);
}

// The signal comes while the temporary file is there: it waits until that has its name.
TEST_F(WriteFile, LeavesNothingWhenASignalEndsTheProcess) {
  const fs::path path = folder_ / "X";
  const std::string large(std::size_t(1) << 26, 'x');
  const pid_t child = fork();
  if (child == 0) {
    for (;;) write_file(path, large);
  }
  while (files() == 0) {
  }
  ASSERT_EQ(kill(child, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(fs::file_size(path), large.size());
}

}  // namespace
}  // namespace fisherman::core_write_file_test
