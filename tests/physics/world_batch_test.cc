#include "physics/world_batch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "physics/world_step.h"

namespace planarium {
namespace {

ObjectSpec Object(int id, ShapeSpec shape, bool fixed) {
  ObjectSpec object;
  object.id = id;
  object.shape = std::move(shape);
  object.fixed = fixed;
  object.initial_state = {static_cast<double>(id), 2.0, 0.5, 0.0};
  return object;
}

// A free disc with three goals, a fixed square, a free random polygon, a fixed disc.
WorldSpec MixedSpec() {
  WorldSpec spec;
  spec.objects.push_back(Object(0, MakeCircle({}, 0.2), false));
  spec.objects.push_back(Object(1, MakeRectangle(1.0, 1.0), true));
  spec.objects.push_back(Object(2, RandomPolygon{}, false));
  spec.objects.push_back(Object(3, MakeCircle({}, 0.3), true));
  spec.objects[0].goals = {{1, 1, 0, 0}, {2, 2, 0, 0}, {3, 3, 0, 0}};
  spec.objects[1].goals = {{7, 7, 0, 0}};
  spec.Finalize();
  return spec;
}

TEST(WorldSpec, SplitsFreeAndFixedObjects) {
  const WorldSpec spec = MixedSpec();
  EXPECT_EQ(spec.free_objects, (std::vector<int>{0, 2}));
  EXPECT_EQ(spec.fixed_objects, (std::vector<int>{1, 3}));
  EXPECT_EQ(spec.free_index, (std::vector<int>{0, -1, 1, -1}));
  EXPECT_EQ(spec.fixed_index, (std::vector<int>{-1, 0, -1, 1}));
  EXPECT_EQ(spec.num_objects(), 4);
  EXPECT_EQ(spec.num_free(), 2);
}

TEST(WorldSpec, PlacesFixedObjectsOnceAndForAll) {
  const WorldSpec spec = MixedSpec();
  ASSERT_EQ(spec.fixed_states.size(), 2U);
  EXPECT_EQ(spec.fixed_states[0].placed.vertices.size(), 4U);
  EXPECT_EQ(spec.fixed_states[0].placed.vertices.data(), spec.fixed_vertices.data());
  EXPECT_EQ(spec.fixed_states[1].placed.center, (Vec2{3.0, 2.0}));
  EXPECT_EQ(spec.fixed_boxes[1].max_x, 3.3);
  EXPECT_EQ(spec.fixed_scene.segments(), 4U);
  EXPECT_EQ(spec.fixed_scene.circles(), 1U);
  EXPECT_EQ(spec.fixed_scene.circle_owner()[0], 3);
}

TEST(WorldSpec, UnobstructedFixedObjectsReturnNoEcho) {
  WorldSpec spec = MixedSpec();
  spec.objects[1].unobstructed = true;
  spec.Finalize();
  EXPECT_EQ(spec.fixed_scene.segments(), 0U);
  EXPECT_EQ(spec.fixed_scene.circles(), 1U);
}

TEST(WorldSpec, KeepsRoomForALoopBetweenGoalAndStart) {
  ObjectSpec object;
  EXPECT_EQ(GoalCapacity(object), 2U);
  object.goals.resize(5);
  EXPECT_EQ(GoalCapacity(object), 5U);
}

TEST(WorldBatch, BlocksStartOnCacheLinesAndDoNotOverlap) {
  const WorldSpec mixed = MixedSpec();
  WorldSpec single;
  single.objects.push_back(Object(0, MakeCircle({}, 0.2), false));
  single.Finalize();
  WorldBatch batch({&mixed, &single, &mixed});
  EXPECT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch.bytes(), 2 * WorldView::BlockBytes(mixed) + WorldView::BlockBytes(single));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&batch.world(i).clock()) % 64, 0U) << i;
  }
  // Filling every slot of the middle world leaves its neighbours as they were.
  for (std::size_t i = 0; i < 3; ++i) ResetWorld(batch.world(i), 10 + i);
  const ObjectState before = batch.world(2).object(0);
  const WorldView middle = batch.world(1);
  for (BodyState& goal : middle.goals(0)) goal = {9, 9, 9, 9};
  middle.free_object(0).state = {8, 8, 8, 8};
  EXPECT_EQ(batch.world(0).object(0).state, before.state);
  EXPECT_EQ(batch.world(2).object(0).state, before.state);
  EXPECT_EQ(batch.world(0).goal(0)->at(0), 1.0);
  EXPECT_EQ(batch.world(2).clock().episode_seed, 12U);
}

TEST(WorldBatch, GivesEachFreeObjectItsOwnSlots) {
  const WorldSpec spec = MixedSpec();
  WorldBatch batch({&spec});
  const WorldView world = batch.world(0);
  EXPECT_EQ(world.goals(0).size(), 3U);
  EXPECT_EQ(world.goals(2).size(), 2U);
  EXPECT_EQ(world.goals(2).data(), world.goals(0).data() + 3);
  EXPECT_EQ(world.world_vertices(0).size(), 0U);
  EXPECT_EQ(world.world_vertices(2).size(), MaxVertices(spec.objects[2].shape));
  EXPECT_NE(world.world_vertices(2).data(), world.body_vertices(2).data());
}

TEST(WorldBatch, EmptyBatchIsAllowed) {
  const WorldBatch batch({});
  EXPECT_EQ(batch.size(), 0U);
  EXPECT_EQ(batch.bytes(), 0U);
}

TEST(WorldView, ReadsFixedObjectsFromTheSpec) {
  const WorldSpec spec = MixedSpec();
  WorldBatch batch({&spec});
  const WorldView world = batch.world(0);
  EXPECT_EQ(&world.object(1), &spec.fixed_states[0]);
  EXPECT_EQ(&world.object(2), &world.free_objects()[1]);
  ASSERT_NE(world.goal(1), nullptr);
  EXPECT_EQ(world.goal(1)->at(0), 7.0);
  EXPECT_EQ(world.goal(3), nullptr);
}

TEST(WorldView, SetGoalsReplacesTheQueue) {
  const WorldSpec spec = MixedSpec();
  WorldBatch batch({&spec});
  const WorldView world = batch.world(0);
  ResetWorld(world, 1);
  world.free_object(0).goal_index = 1;
  // even with a part of the object's own queue
  world.SetGoals(0, world.goals(0).subspan(1));
  EXPECT_EQ(world.object(0).goal_count, 2U);
  EXPECT_EQ(world.goal(0)->at(0), 2.0);
  world.SetGoals(0, {});
  EXPECT_EQ(world.goal(0), nullptr);
}

}  // namespace
}  // namespace planarium
