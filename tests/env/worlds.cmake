# Users' world files in motion; reads the reference data folder and skips visibly without it.
planarium_test(env_real_worlds_test LIBS planarium_env SOURCES real_worlds_test.cc)
