// With a Stan and a compiler that only pretend, so that all of it but Stan itself is tested on every machine. The real
// ones are in slow/stan_test.cpp.
#include "fisherman/stan/stan_compile.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "fisherman/stan/stan_model.hpp"
#include "stan/expect_sentences.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;

const std::string pretended_library = std::string(FISHERMAN_FAKE_STAN) + "/libfake_bridgestan.so";

/// A home of its own, in which there is nothing yet.
class PretendedStan : public ::testing::Test {
 protected:
  PretendedStan()
      : home_(fs::path(::testing::TempDir()) /
              (std::string("stan home ") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(home_);
    fs::create_directories(home_);
    for (const char* name : {"BRIDGESTAN", "CMDSTAN", "FISHERMAN_STAN", "XDG_CACHE_HOME",
                             "VIRTUAL_ENV", "CONDA_PREFIX", "MAKE"})
      set(name, {});
    set("HOME", home_);
    set("PATH", (home_ / "bin").string() + ":" + std::getenv("PATH"));
    set("CXX", "pretended-compiler");  // CXX is split at spaces, of which the home has some
    script("bin/pretended-compiler", R"(
if [ "$1" = --version ]; then echo "compiler 1"; exit; fi
echo compiled >>"$HOME/compiled"
[ ! -e "$HOME/fails" ] || { for i in $(seq 99); do echo "line $i"; done; exit 1; }
while [ $# -gt 0 ]; do
  case $1 in -shared) shared=1 ;; -o) out=$2 ;; esac
  shift
done
sleep 0.1
if [ "$shared" ]; then cp ")" + pretended_library +
                                         R"(" "$out"; else echo object >"$out"; fi
)");
  }
  ~PretendedStan() override {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    fs::remove_all(home_);
  }

  void set(const std::string& name, const std::optional<std::string>& value) {
    if (!before_.count(name)) {
      const char* now = std::getenv(name.c_str());
      before_[name] = now ? std::optional<std::string>(now) : std::nullopt;
    }
    value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  fs::path file(const fs::path& name, const std::string& text) const {
    fs::create_directories((home_ / name).parent_path());
    std::ofstream(home_ / name) << text;
    return home_ / name;
  }
  fs::path script(const fs::path& name, const std::string& text) const {
    const fs::path path = file(name, "#!/bin/sh\n" + text);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  fs::path httpstan(const fs::path& folder) const {
    for (const char* name : {"libsundials_cvodes.a", "libsundials_idas.a", "libsundials_kinsol.a",
                             "libsundials_nvecserial.a", "libtbb.so.2"})
      file(folder / "httpstan/lib" / name, "");
    file(folder / "httpstan/include/stan/version.hpp", "");
    file(folder / "httpstan/include/stan/io/json/json_data.hpp", "");
    return script(folder / "httpstan/stanc", R"(
for word; do
  case $word in --o=*) out=${word#--o=} ;; --filename-in-msg=*) name=${word#*=} ;; esac
  program=$word
done
! grep -q wrong "$program" || { echo "Syntax error in '$name', line 1, column 0" >&2; exit 1; }
! grep -q old "$program" || echo "Warning in '$name': deprecated" >&2
echo code >"$out"
)");
  }
  /// How often the compiler compiled or linked.
  int work_done() const {
    std::ifstream in(home_ / "compiled");
    int lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    return lines;
  }

  fs::path home_;
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(PretendedStan, IsMissing) {
  const fs::path program = file("m.stan", "model {}");
  if (!stan_toolchain_name().empty()) GTEST_SKIP() << "the system's Python has httpstan";
  expect_sentences([&] { compiled_stan(program); },
                   {"m.stan", "no Stan on this machine", "scripts/setup --for stan"});
}

TEST_F(PretendedStan, IsCompiledOnce) {
  httpstan(".cache/fisherman/httpstan-4.9.0");
  httpstan(".cache/fisherman/httpstan-4.13.0");
  EXPECT_EQ(stan_toolchain_name(),
            "httpstan in " + (home_ / ".cache/fisherman/httpstan-4.13.0").string());
  const fs::path program = file("folder/m.stan", "old model {}");
  std::vector<std::string> heard;
  StanCompileOptions options;
  options.progress = [&](const std::string& words) { heard.push_back(words); };
  const fs::path library = compiled_stan(program, options);
  EXPECT_EQ(work_done(), 3);  // shim, program, link
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_NE(heard[0].find("Compiling m.stan with httpstan"), std::string::npos);
  EXPECT_EQ(heard[1], "Warning in 'm.stan': deprecated");
  EXPECT_EQ(library.parent_path(), home_ / ".cache/fisherman/stan");
  EXPECT_EQ(StanModel(library, "", 1).dimension(), 3);

  EXPECT_EQ(compiled_stan(program, options), library);
  EXPECT_EQ(work_done(), 3);
  EXPECT_EQ(heard.size(), 3u);

  file("folder/m.stan", "#include other.stan\nmodel {}");
  const fs::path second = compiled_stan(program, options);
  EXPECT_NE(second, library);
  EXPECT_EQ(work_done(), 5);  // the shim was there
  file("folder/other.stan", "functions {}");
  EXPECT_NE(compiled_stan(program, options), second);
  EXPECT_EQ(work_done(), 7);

  for (const auto& entry : fs::directory_iterator(library.parent_path()))
    EXPECT_TRUE(entry.path().extension() == ".so" || entry.path().extension() == ".o")
        << entry.path();
}

TEST_F(PretendedStan, IsCompiledOnceByTwo) {
  set("FISHERMAN_STAN", (home_ / "elsewhere").string());
  httpstan("elsewhere");
  const fs::path program = file("m.stan", "model {}");
  StanCompileOptions options;
  options.cache = home_ / "cache";
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { EXPECT_TRUE(fs::exists(compiled_stan(program, options))); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(work_done(), 3);
}

TEST_F(PretendedStan, SaysWhatIsWrong) {
  httpstan(".cache/fisherman/httpstan-4.13.0");
  expect_sentences([&] { compiled_stan(home_ / "none.stan"); }, {"none.stan", "no such file"});
  expect_sentences([&] { compiled_stan(file("m.txt", "model {}")); }, {"m.txt", "ends in .stan"});
  expect_sentences([&] { compiled_stan(file("m.stan", "wrong")); },
                   {"Syntax error in 'm.stan', line 1, column 0"});
  file("fails", "");
  expect_sentences([&] { compiled_stan(file("m.stan", "model {}")); },
                   {"compiling the shim failed", "\nline 85\n", "line 99"});
  set("CXX", "no-such-compiler");
  expect_sentences([&] { compiled_stan(file("m.stan", "model {}")); }, {"CXX is no-such-compiler"});
  for (const char* name : {"FISHERMAN_STAN", "CMDSTAN", "BRIDGESTAN"}) {
    set(name, (home_ / "nowhere").string());
    expect_sentences([&] { compiled_stan(file("m.stan", "model {}")); }, {name, "nowhere"});
  }
  EXPECT_TRUE(fs::is_empty(home_ / ".cache/fisherman/stan"));
}

TEST_F(PretendedStan, UsesBridgeStansMakefile) {
  if (std::system("make --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no make here";
  httpstan(".cache/fisherman/httpstan-4.13.0");
  // make knows no names with spaces, so this one's cache has none.
  file("bridgestan/Makefile",
       "%_model.so: %.stan\n\ttest $(STAN_THREADS) = true\n\tcp " + pretended_library + " $@\n");
  set("BRIDGESTAN", (home_ / "bridgestan").string());
  StanCompileOptions options;
  options.cache = fs::path(::testing::TempDir()) / "bridgestan-cache";
  fs::remove_all(options.cache);
  const fs::path library = compiled_stan(file("m.stan", "model {}"), options);
  EXPECT_EQ(StanModel(library, "", 1).dimension(), 3);
  EXPECT_EQ(work_done(), 0);
  file("bridgestan/Makefile", "%_model.so: %.stan\n\techo out of luck; false\n");
  expect_sentences([&] { compiled_stan(file("m.stan", "model { }"), options); },
                   {"BridgeStan's make failed", "out of luck"});
  fs::remove_all(options.cache);
}

}  // namespace
}  // namespace fisherman
