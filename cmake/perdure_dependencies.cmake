# The libraries that perdure stands on; the build and every consumer's find_package(perdure) find them here.
# BZip2 and zlib: modules of CMake. The others by pkg-config. ISA-L and liburing are optional.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(BLOSC REQUIRED IMPORTED_TARGET blosc)
if(PERDURE_WITH_ISAL)
  pkg_check_modules(ISAL IMPORTED_TARGET libisal)
endif()
if(PERDURE_WITH_IO_URING)
  pkg_check_modules(LIBURING IMPORTED_TARGET liburing)
endif()
