planarium_test(physics_world_test
  LIBS planarium_physics
  SOURCES
    world_batch_test.cc
    world_step_test.cc)
