#include "fisherman/stan/stan_compile.hpp"

#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "fisherman/core/error.hpp"
#include "kept_file.hpp"
#include "run_program.hpp"
#include "toolchain.hpp"

namespace fisherman {

extern const char* const stan_shim_text;  // src/stan/shim/shim.cpp, put into the library by CMake

namespace {

namespace fs = std::filesystem;
using CommandWords = std::vector<std::string>;

constexpr std::size_t key_digits = 16;  // of a key in a file's name

std::string program_text(const fs::path& file) {
  std::error_code error;
  require(fs::is_regular_file(file, error), file.string(), ": there is no such file");
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  require(bool(in), file.string(), ": cannot be read");
  return text.str();
}

/// The texts of files that a program includes, and of those that these include. stanc finds what is missing.
void add_included(const std::string& text, const fs::path& folder, std::set<fs::path>& seen,
                  std::string& all) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("#include");
    if (at == std::string::npos || line.find_first_not_of(" \t") != at) continue;
    const auto first = line.find_first_not_of(" \t\"<", at + 8);
    if (first == std::string::npos) continue;
    const fs::path file =
        folder / line.substr(first, line.find_first_of(" \t\r\">", first) - first);
    std::error_code error;
    if (!fs::is_regular_file(file, error) || !seen.insert(file).second) continue;
    const std::string included = program_text(file);
    all += "\n// " + file.filename().string() + "\n" + included;
    add_included(included, folder, seen, all);
  }
}

std::string last_lines(const std::string& text, int count) {
  std::size_t at = text.find_last_not_of(" \t\r\n");
  if (at == std::string::npos) return "it said nothing";
  const std::string whole = text.substr(0, at + 1);
  at = whole.size();
  while (count-- > 0 && at != std::string::npos && at > 0) at = whole.rfind('\n', at - 1);
  return at == std::string::npos || at == 0 ? whole : whole.substr(at + 1);
}

std::string text_if_any(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) ? program_text(file) : std::string();
}

/// By which a file is known to be the same; nothing if there is none.
std::string stamp_of(const fs::path& file) {
  struct stat there = {};
  if (stat(file.c_str(), &there) != 0) return {};
  return std::to_string(there.st_size) + " " + std::to_string(there.st_mtim.tv_sec) + "." +
         std::to_string(there.st_mtim.tv_nsec);
}

CommandWords split_at_spaces(const std::string& text) {
  std::istringstream in(text);
  CommandWords out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

struct Compiler {
  CommandWords words;  // what calls it
  std::string version;
  bool is_gcc() const { return version.find("clang") == std::string::npos; }
};

Compiler find_compiler() {
  const char* chosen = std::getenv("CXX");
  const CommandWords own = split_at_spaces(chosen ? chosen : "");
  const std::vector<CommandWords> candidates =
      own.empty() ? std::vector<CommandWords>{{"g++"}, {"clang++"}, {"c++"}}
                  : std::vector<CommandWords>{own};
  for (CommandWords words : candidates) {
    words.push_back("--version");
    const ProgramResult asked = run_program(words);
    words.pop_back();
    if (asked.well()) return {words, asked.messages};
  }
  require(own.empty(), "CXX is ", chosen ? chosen : "",
          ", but that is no compiler that can be run");
  throw Misuse(
      "Stan programs are compiled with a C++ compiler, and there is none here: install g++");
}

/// A program, and what compiles it.
class StanBuild {
 public:
  StanBuild(const fs::path& program, const StanCompileOptions& options)
      : options_(options),
        folder_(fs::absolute(program).parent_path()),
        name_(program.filename()),
        text_(program_text(program)),
        cache_(options.cache.empty() ? stan_cache() : options.cache) {
    require(program.extension() == ".stan", program.string(),
            ": a Stan program has a name that ends in .stan, and a compiled one in .so");
    auto found = find_stan();
    require(found.has_value(), program.string(),
            ": cannot be compiled, because there is no Stan on this machine; run scripts/setup "
            "--for stan, or install BridgeStan or CmdStan, or name a compiled program (.so)");
    stan_ = std::move(*found);
    if (!stan_.has_make) compiler_ = find_compiler();
  }

  fs::path library() const {
    std::set<fs::path> seen;
    std::string included;
    add_included(text_, folder_, seen, included);
    const std::string key = content_key({name_.string(), text_, included, toolchain_key()});
    const std::string file = name_.stem().string() + "-" + key.substr(0, key_digits) + ".so";
    return kept(file, [&](const fs::path& work) {
      tell("Compiling " + name_.string() + " with " + stan_.name +
           "; this takes about half a minute, once");
      return stan_.has_make ? made_by_bridgestan(work) : made_with_shim(work);
    });
  }

 private:
  void tell(const std::string& words) const {
    if (options_.progress) options_.progress(words);
  }

  template <class Make>
  fs::path kept(const std::string& file, const Make& make) const {
    bool told = false;
    return kept_file(cache_ / file, make, [&] {
      if (!std::exchange(told, true)) tell("Waiting for another process that compiles " + file);
    });
  }

  /// Changes whenever something else than the program may change the library.
  std::string toolchain_key() const {
    if (stan_.has_make)
      return content_key({stan_.root.string(), stamp_of(stan_.root / "Makefile"),
                          stamp_of(stan_.stanc), text_if_any(stan_.root / "make/local")});
    std::string command;
    for (const std::string& word : compile_command()) command += word + "\n";
    return content_key(
        {command, stan_.root.string(), stamp_of(stan_.stanc), compiler_.version, stan_shim_text});
  }

  void write_program(const fs::path& to) const {
    std::ofstream out(to, std::ios::binary);
    out << text_;
    out.close();
    if (!out) throw FileError(to.string() + ": cannot be written");
  }

  /// Throws Misuse with what it said, unless it went well.
  void run(const CommandWords& words, const std::string& what, const fs::path& folder = {}) const {
    const ProgramResult result = run_program(words, folder);
    require(result.started, name_.string(), ": ", what, " failed, because ", words[0],
            " cannot be started");
    require(result.signal != SIGINT, name_.string(), ": ", what, " was interrupted");
    require(result.well(), name_.string(), ": ", what, " failed; its last words were\n",
            last_lines(result.messages, 15));
  }

  /// From `work`/name to C++ code. What stanc says names the file as the user knows it.
  void translate(const fs::path& work, const fs::path& to) const {
    const ProgramResult result = run_program(
        {stan_.stanc.string(), "--include-paths=" + folder_.string(),
         "--filename-in-msg=" + name_.string(), "--o=" + to.string(), (work / name_).string()});
    require(result.started, stan_.stanc.string(), ": cannot be run; it is a part of ", stan_.name);
    require(result.signal != SIGINT, name_.string(), ": the translation was interrupted");
    require(result.well(), last_lines(result.messages, 40));
    if (!result.messages.empty()) tell(last_lines(result.messages, 40));
  }

  fs::path made_by_bridgestan(const fs::path& work) const {
    write_program(work / name_);
    std::error_code error;
    if (fs::exists(stan_.stanc, error)) translate(work, work / "unused.hpp");  // clearer than make
    const char* make = std::getenv("MAKE");
    const fs::path made = work / (name_.stem().string() + "_model.so");
    run({make && *make ? make : "make", "STAN_THREADS=true",
         "STANCFLAGS=--include-paths=" + folder_.string(), made.string()},
        "BridgeStan's make", stan_.root);
    return made;
  }

  /// What each library holds is its own: two of them in one process must not share a record of operations.
  CommandWords compile_command() const {
    CommandWords out = compiler_.words;
    for (const char* flag :
         {"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-w", "-DNDEBUG", "-D_REENTRANT",
          "-DSTAN_THREADS", "-DBOOST_DISABLE_ASSERTS", "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION"})
      out.push_back(flag);
    if (compiler_.is_gcc()) out.push_back("-fno-gnu-unique");
    for (const fs::path& folder : stan_.includes) {
      out.push_back("-isystem");
      out.push_back(folder.string());
    }
    return out;
  }

  void compile(const fs::path& source, const fs::path& object, const std::string& what) const {
    CommandWords words = compile_command();
    for (const std::string& word :
         CommandWords{"-x", "c++", "-c", source.string(), "-o", object.string()})
      words.push_back(word);
    run(words, what);
  }

  fs::path shim_object() const {
    return kept("shim-" + toolchain_key().substr(0, key_digits) + ".o", [&](const fs::path& work) {
      tell("Compiling what connects Stan with Fisherman, once for this Stan");
      std::ofstream(work / "shim.cpp") << stan_shim_text;
      compile(work / "shim.cpp", work / "shim.o", "compiling the shim");
      return work / "shim.o";
    });
  }

  fs::path made_with_shim(const fs::path& work) const {
    write_program(work / name_);
    translate(work, work / "model.hpp");
    const fs::path shim = shim_object(), made = work / "model.so";
    compile(work / "model.hpp", work / "model.o", "compiling");
    CommandWords words = compiler_.words;
    for (const std::string& word :
         CommandWords{"-shared", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-o", made.string(),
                      (work / "model.o").string(), shim.string()})
      words.push_back(word);
    std::set<fs::path> searched;
    for (const fs::path& library : stan_.libraries) {
      words.push_back(library.string());
      if (library.extension() != ".a") searched.insert(library.parent_path());
    }
    for (const fs::path& folder : searched) words.push_back("-Wl,-rpath," + folder.string());
    run(words, "linking");
    return made;
  }

  const StanCompileOptions& options_;
  fs::path folder_, name_;
  std::string text_;
  fs::path cache_;
  StanToolchain stan_;
  Compiler compiler_;
};

}  // namespace

fs::path stan_cache() { return user_cache_folder() / "fisherman" / "stan"; }

fs::path compiled_stan(const fs::path& program, const StanCompileOptions& options) {
  return StanBuild(program, options).library();
}

std::string stan_toolchain_name() {
  const auto found = find_stan();
  return found ? found->name : std::string();
}

}  // namespace fisherman
