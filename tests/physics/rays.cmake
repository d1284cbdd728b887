planarium_test(physics_ray_caster_test
  LIBS planarium_physics
  SOURCES
    ${PROJECT_SOURCE_DIR}/tests/testing/reference_lidar.cc
    ray_caster_test.cc
    ray_oracle_test.cc)
# The wide kernels may share no inline function with the rest of the program: on a CPU without the instructions the
# linker could have picked their copy. So their object files define no weak symbol
# (DW.ref: a pointer to the exception personality that sanitizers add).
add_test(NAME physics_ray_kernel_symbols
  COMMAND sh -c "! nm \"$0\" \"$1\" | grep ' [WVu] ' | grep -v DW.ref"
    $<FILTER:$<TARGET_OBJECTS:planarium_physics>,INCLUDE,ray_kernel_avx>
  COMMAND_EXPAND_LISTS)
