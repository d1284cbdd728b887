#include "physics/world_spec.h"

#include <algorithm>
#include <cassert>
#include <variant>

#include "physics/world_step.h"

namespace planarium {
namespace {

// A body that never moves: initial pose, no velocity; the vertices land in `storage`.
ObjectState FixedState(const ObjectSpec& object, std::span<Vec2> storage) {
  ObjectState state;
  state.state = object.initial_state;
  state.shape = std::get<Shape>(object.shape).view();
  state.placed = Place(state.shape, state.pose(), storage);
  state.goal_count = static_cast<std::uint32_t>(object.goals.size());
  return state;
}

// Splits the objects into those that every world keeps and those that the spec keeps for all.
void Partition(WorldSpec& spec) {
  spec.free_objects.clear();
  spec.fixed_objects.clear();
  spec.free_index.assign(spec.objects.size(), -1);
  spec.fixed_index.assign(spec.objects.size(), -1);
  for (int id = 0; id < spec.num_objects(); ++id) {
    const ObjectSpec& object = spec.objects[static_cast<std::size_t>(id)];
    assert(object.id == id);
    std::vector<int>& list = object.fixed ? spec.fixed_objects : spec.free_objects;
    std::vector<int>& index = object.fixed ? spec.fixed_index : spec.free_index;
    index[static_cast<std::size_t>(id)] = static_cast<int>(list.size());
    list.push_back(id);
  }
}

// Slots of the free objects in each world's block.
void SizeFreeObjects(WorldSpec& spec) {
  spec.goal_offset.assign(1, 0);
  spec.vertex_offset.assign(1, 0);
  for (const int id : spec.free_objects) {
    const ObjectSpec& object = spec.objects[static_cast<std::size_t>(id)];
    spec.goal_offset.push_back(spec.goal_offset.back() + GoalCapacity(object));
    spec.vertex_offset.push_back(spec.vertex_offset.back() + MaxVertices(object.shape));
  }
}

// Places the fixed objects once. All vertices are sized first: spans into them must not move.
void PlaceFixedObjects(WorldSpec& spec) {
  std::size_t vertices = 0;
  for (const int id : spec.fixed_objects) {
    vertices += MaxVertices(spec.objects[static_cast<std::size_t>(id)].shape);
  }
  spec.fixed_vertices.assign(vertices, Vec2{});
  spec.fixed_states.clear();
  spec.fixed_boxes.clear();
  std::span<Vec2> storage = spec.fixed_vertices;
  for (const int id : spec.fixed_objects) {
    const ObjectSpec& object = spec.objects[static_cast<std::size_t>(id)];
    spec.fixed_states.push_back(FixedState(object, storage));
    spec.fixed_boxes.push_back(spec.fixed_states.back().placed.box);
    storage = storage.subspan(MaxVertices(object.shape));
  }
}

// Echoing geometry of the fixed objects, in id order.
void BuildFixedScene(WorldSpec& spec) {
  spec.fixed_scene.Reserve(spec.fixed_vertices.size(), spec.fixed_states.size());
  spec.fixed_scene.Clear();
  for (std::size_t k = 0; k < spec.fixed_objects.size(); ++k) {
    const int id = spec.fixed_objects[k];
    if (spec.objects[static_cast<std::size_t>(id)].unobstructed) continue;
    AddToScene(spec.fixed_states[k].placed, id, spec.fixed_scene);
  }
}

}  // namespace

std::size_t GoalCapacity(const ObjectSpec& object) {
  return std::max<std::size_t>(object.goals.size(), 2);
}

void WorldSpec::Finalize() {
  Partition(*this);
  SizeFreeObjects(*this);
  PlaceFixedObjects(*this);
  BuildFixedScene(*this);
}

}  // namespace planarium
