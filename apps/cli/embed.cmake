# Writes a C++ source with files as string literals: cmake -DOUT=… -DFILES=a;b;… -P embed.cmake
#
# Styles and scripts become parts of a page's <style> and <script> elements, so none may end one.
set(branches "")
foreach(path IN LISTS FILES)
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" text)
  foreach(bad "</script" "</style" "<!--")
    string(FIND "${text}" "${bad}" at)
    if(NOT at EQUAL -1 AND name MATCHES "[.](css|js)$")
      message(FATAL_ERROR "${path} holds '${bad}' and cannot be a part of a page")
    endif()
  endforeach()
  string(APPEND branches "  if (name == \"${name}\") return R\"embedded(${text})embedded\";\n")
endforeach()
file(WRITE "${OUT}" "#include \"resources.hpp\"

namespace fisherman::cli {

std::string_view resource(std::string_view name) {
${branches}  return {};
}

}  // namespace fisherman::cli
")
