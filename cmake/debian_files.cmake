# What Debian's packages have besides: copyright, changelog, a compressed manual, zsh's completion where Debian's zsh looks.
# CPack runs this on the folders that it is about to pack.
set(source "${CMAKE_CURRENT_LIST_DIR}/..")
foreach(pair program:fisherman development:libfisherman-dev)
  string(REGEX MATCH "^(.*):(.*)$" unused ${pair})
  set(usr "${CPACK_TEMPORARY_DIRECTORY}/${CMAKE_MATCH_1}/usr")
  set(name ${CMAKE_MATCH_2})
  if(NOT IS_DIRECTORY "${usr}")
    message(FATAL_ERROR "debian_files.cmake: there is no ${usr}")
  endif()
  set(doc "${usr}/share/doc/${name}")
  file(MAKE_DIRECTORY "${doc}")
  file(READ "${source}/LICENSE" licence)
  string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
  string(REGEX REPLACE "\n" "\n " licence "${licence}")
  string(STRIP "${licence}" licence)
  file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: fisherman

Files: *
Copyright: 2026, the Fisherman authors
License: BSD-3-clause
 ${licence}
")
  file(WRITE "${doc}/changelog" "fisherman (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; CHANGELOG.md says what is new.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${FISHERMAN_PACKAGE_DATE}
")
  set(compress "${doc}/changelog")
  if(name STREQUAL fisherman)
    list(APPEND compress "${usr}/share/man/man1/fisherman.1")
    file(MAKE_DIRECTORY "${usr}/share/zsh/vendor-completions")
    file(RENAME "${usr}/share/zsh/site-functions/_fisherman" "${usr}/share/zsh/vendor-completions/_fisherman")
    file(REMOVE_RECURSE "${usr}/share/zsh/site-functions")
  endif()
  execute_process(COMMAND gzip --best --no-name ${compress} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE files LIST_DIRECTORIES true "${usr}/*")
  foreach(file IN LISTS files)
    if(IS_DIRECTORY "${file}" OR file MATCHES "/bin/[^/]*$")
      file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    else()
      file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
  endforeach()
endforeach()
