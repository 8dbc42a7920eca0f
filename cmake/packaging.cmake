# Debian packages: scripts/deb. What `cmake --install` installs, as two of them: `fisherman`, the command line with its manual
# and completions, and `libfisherman-dev`, the library with its headers and CMake files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fisherman)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME fisherman)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "Command line.
Fits probability models whose parameters lie on a manifold (a covariance, an
orthonormal frame, a subspace, a low-rank matrix, a direction) by natural
gradient, without ever inverting a Fisher matrix: Bayesian regressions,
reduced-rank classification, Bayesian neural networks, and densities of your
own, among them Stan programs.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfisherman-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "fisherman (= ${PROJECT_VERSION}), libeigen3-dev, libopenblas-dev, \
liblapacke-dev, zlib1g-dev, libssl-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "C++ library.
The library behind the command line fisherman, for models and manifolds of
your own: moving frames, Fisher approximations without inversion, stochastic
and deterministic solvers, checkpoints, and tests of the laws that manifolds
and models obey. With headers and files for CMake's find_package.")
include(CPack)
