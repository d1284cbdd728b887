# Rules of motion, goals, placement and tasks, each measured against IR-SIM or worked out by hand.
planarium_test(env_golden_test LIBS planarium_scenes yaml-cpp SOURCES golden_test.cc)
planarium_test(env_behaviors_test LIBS planarium_scenes SOURCES behaviors_test.cc)
planarium_test(env_goals_test LIBS planarium_scenes SOURCES goals_test.cc)
planarium_test(env_placement_test LIBS planarium_scenes SOURCES placement_test.cc)
planarium_test(env_task_loader_test LIBS planarium_scenes SOURCES task_loader_test.cc)
planarium_test(env_terms_test LIBS planarium_scenes SOURCES terms_test.cc)
