# Installs a build of Fisherman into an empty folder, builds the project beside this file against
# it as a stranger would, and runs it. The project is the quick start of the README and of a tutorial, so
# the test also holds these pages to their word: what they show stands there as it is here.
#
#   cmake -DBUILD_DIR=build/release -DSOURCE_DIR=tests/package -DWORK_DIR=/tmp/somewhere -P run.cmake

foreach(variable BUILD_DIR SOURCE_DIR WORK_DIR)
  if(NOT DEFINED ${variable})
    message(FATAL_ERROR "run.cmake needs -D${variable}=…")
  endif()
  get_filename_component(${variable} "${${variable}}" ABSOLUTE)
endforeach()

function(step sentence)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${sentence} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# What the build was made with, the stranger uses too.
function(from_cache variable)
  file(STRINGS "${BUILD_DIR}/CMakeCache.txt" line REGEX "^${variable}:")
  string(REGEX REPLACE "^[^=]*=" "" line "${line}")
  set(${variable} "${line}" PARENT_SCOPE)
endfunction()

function(expect_in page text what)
  file(READ "${SOURCE_DIR}/../../${page}" content)
  string(STRIP "${text}" text)
  string(FIND "${content}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${page} does not hold ${what} word for word")
  endif()
endfunction()

set(prefix "${WORK_DIR}/prefix")
file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")
step("Installing" "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")

# An installed package must not point at where it was built, nor at one machine's libraries.
file(GLOB_RECURSE configs "${prefix}/*.cmake")
foreach(config IN LISTS configs)
  file(READ "${config}" content)
  string(FIND "${content}" "${BUILD_DIR}" at)
  if(NOT at EQUAL -1 OR content MATCHES "[\";>:]/[^\";]*(\\.so|\\.a|/include)[\";]")
    message(FATAL_ERROR "${config} holds a path of this machine: ${BUILD_DIR} or ${CMAKE_MATCH_0}")
  endif()
endforeach()

from_cache(CMAKE_GENERATOR)
from_cache(CMAKE_CXX_COMPILER)
step("Configuring" "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${WORK_DIR}/build"
  -G "${CMAKE_GENERATOR}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${prefix}")
step("Building" "${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
step("Running" "${WORK_DIR}/build/bioassay")
message("${output}")

file(READ "${SOURCE_DIR}/main.cpp" program)
file(READ "${SOURCE_DIR}/CMakeLists.txt" lists)
expect_in(README.md "${program}" "tests/package/main.cpp")
set(tutorial docs/site/tutorials/cpp.md)
expect_in(${tutorial} "${program}" "tests/package/main.cpp")
expect_in(${tutorial} "${lists}" "tests/package/CMakeLists.txt")
expect_in(${tutorial} "${output}" "the output above")
file(READ "${SOURCE_DIR}/../../examples/von_mises_fisher.cpp" example)
string(FIND "${example}" "struct VonMisesFisher {" from)
string(FIND "${example}" "int main()" to)
math(EXPR length "${to} - ${from}")
string(SUBSTRING "${example}" ${from} ${length} model)
expect_in(docs/adding_a_model.md "${model}" "the model of examples/von_mises_fisher.cpp")
