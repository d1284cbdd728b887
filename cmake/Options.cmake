# Flags that every target of the project shares.
# Floating point is strict IEEE everywhere: no contraction, no fast-math, no -march=native (results must be
# the same bits on every host); wide kernels are separate sources chosen at run time.
add_library(planarium_options INTERFACE)
target_compile_features(planarium_options INTERFACE cxx_std_20)
target_compile_options(planarium_options INTERFACE
  -ffp-contract=off -fno-math-errno -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # GCC 12 reports impossible overlaps in std::string operator+ (its bug 105651).
  -Wno-restrict)
option(PLANARIUM_WERROR "Warnings are errors" OFF)
if(PLANARIUM_WERROR)
  target_compile_options(planarium_options INTERFACE -Werror)
endif()
if(PLANARIUM_SANITIZER)
  string(REPLACE ";" "," sanitizer_list "${PLANARIUM_SANITIZER}")
  target_compile_options(planarium_options INTERFACE -fsanitize=${sanitizer_list} -fno-omit-frame-pointer)
  target_link_options(planarium_options INTERFACE -fsanitize=${sanitizer_list})
endif()

# planarium_library(NAME DEPENDS target... SOURCES file...): one library per folder, includes rooted at the repository.
# Every header of the folder belongs to its header set, so the dev preset compiles each on its own.
function(planarium_library name)
  cmake_parse_arguments(LIB "" "" "DEPENDS;SOURCES" ${ARGN})
  add_library(${name} STATIC ${LIB_SOURCES})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  target_link_libraries(${name} PUBLIC planarium_options ${LIB_DEPENDS})
endfunction()

# planarium_test(NAME LIBS target... SOURCES file... [LABELS label...]): one GoogleTest binary, registered with ctest.
function(planarium_test name)
  cmake_parse_arguments(TEST "" "" "LIBS;SOURCES;LABELS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT 600)
endfunction()
