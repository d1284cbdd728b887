planarium_test(physics_geometry_test
  LIBS planarium_physics
  SOURCES
    angle_test.cc
    kinematics_test.cc
    math_test.cc
    placed_shape_test.cc
    random_test.cc
    shape_test.cc)
