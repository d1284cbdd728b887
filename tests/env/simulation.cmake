# Worlds in motion: batch engine, tasks, behaviors, placement, and cases reported by users.
add_library(planarium_scenes STATIC ../testing/scenes.cc)
target_link_libraries(planarium_scenes PUBLIC planarium_env)

planarium_test(env_vector_env_test
  LIBS planarium_scenes
  SOURCES
    vector_env_autoreset_test.cc
    vector_env_refusal_test.cc
    vector_env_seeding_test.cc
    vector_env_task_test.cc)

planarium_test(env_large_batch_test LIBS planarium_scenes SOURCES large_batch_test.cc)
planarium_test(env_determinism_test LIBS planarium_scenes SOURCES determinism_test.cc)
# Replaces the global operator new, so it is a program of its own.
planarium_test(env_allocation_test LIBS planarium_scenes SOURCES allocation_test.cc)
# GCC 12 takes its free of what its own malloc gave for a mismatch, once one of the two is inlined.
set_source_files_properties(allocation_test.cc PROPERTIES COMPILE_OPTIONS -Wno-mismatched-new-delete)
