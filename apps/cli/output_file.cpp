#include "output_file.hpp"

#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/path_kind.hpp"

namespace fisherman::cli {

void OutputFile::add_to(CLI::App& command) {
  command.add_flag("--overwrite", overwrite, "replace the file that --out names, if there is one");
}

void OutputFile::check(const std::vector<std::filesystem::path>& inputs) const {
  if (path.empty() || path_kind(path) != PathKind::file) return;
  require_no_input(path, inputs);
  if (!overwrite) throw FileError(path + ": is there already; --overwrite replaces it");
}

void OutputFile::write(const std::string& content) const {
  check({});  // the work may have taken long
  write_file(path, content);
}

void OutputFile::write(const std::function<std::string()>& next_piece) const {
  check({});
  write_file(path, next_piece);
}

void require_no_input(const std::filesystem::path& output,
                      const std::vector<std::filesystem::path>& inputs) {
  for (const std::filesystem::path& input : inputs) {
    std::error_code none;
    if (!input.empty() && std::filesystem::equivalent(output, input, none))
      throw FileError(sentence(output.string(), ": is read by this command (as ", input.string(),
                               "), so it is not replaced"));
  }
}

}  // namespace fisherman::cli
