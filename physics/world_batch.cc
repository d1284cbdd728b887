#include "physics/world_batch.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace planarium {
namespace {

// A cache line: workers that step neighbouring worlds never write to the same one.
constexpr std::size_t kBlockAlignment = 64;

// The batch copies no element and runs no destructor: a block is plain memory with objects in it.
static_assert(std::is_trivially_copyable_v<ObjectState>);
static_assert(std::is_trivially_destructible_v<ObjectState>);
static_assert(alignof(ObjectState) <= 8 && alignof(WorldClock) <= 8 && alignof(Vec2) <= 8);
static_assert(sizeof(ObjectState) % 8 == 0 && sizeof(WorldClock) % 8 == 0);

// Byte offsets of the parts of one world's block. The clock comes first.
struct BlockLayout {
  std::size_t objects = 0;
  std::size_t goals = 0;
  std::size_t body_vertices = 0;
  std::size_t world_vertices = 0;
  std::size_t bytes = 0;
};

BlockLayout LayoutOf(const WorldSpec& spec) {
  assert(!spec.goal_offset.empty() && "WorldSpec::Finalize comes first");
  const std::size_t vertices = spec.vertex_offset.back();
  BlockLayout layout;
  layout.objects = sizeof(WorldClock);
  layout.goals = layout.objects + spec.free_objects.size() * sizeof(ObjectState);
  layout.body_vertices = layout.goals + spec.goal_offset.back() * sizeof(BodyState);
  layout.world_vertices = layout.body_vertices + vertices * sizeof(Vec2);
  const std::size_t end = layout.world_vertices + vertices * sizeof(Vec2);
  layout.bytes = (end + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  return layout;
}

template <typename T>
T* At(std::byte* block, std::size_t offset) {
  return std::launder(reinterpret_cast<T*>(block + offset));
}

// Starts the lifetime of everything in one block.
void ConstructBlock(const WorldSpec& spec, std::byte* block) {
  const BlockLayout layout = LayoutOf(spec);
  const auto make = [block]<typename T>(std::type_identity<T>, std::size_t offset, std::size_t n) {
    std::uninitialized_value_construct_n(reinterpret_cast<T*>(block + offset), n);
  };
  make(std::type_identity<WorldClock>{}, 0, 1);
  make(std::type_identity<ObjectState>{}, layout.objects, spec.free_objects.size());
  make(std::type_identity<BodyState>{}, layout.goals, spec.goal_offset.back());
  make(std::type_identity<Vec2>{}, layout.body_vertices, spec.vertex_offset.back());
  make(std::type_identity<Vec2>{}, layout.world_vertices, spec.vertex_offset.back());
}

}  // namespace

WorldView::WorldView(const WorldSpec& spec, std::byte* block) : spec_(&spec) {
  const BlockLayout layout = LayoutOf(spec);
  clock_ = At<WorldClock>(block, 0);
  objects_ = {At<ObjectState>(block, layout.objects), spec.free_objects.size()};
  goals_ = At<BodyState>(block, layout.goals);
  body_vertices_ = At<Vec2>(block, layout.body_vertices);
  world_vertices_ = At<Vec2>(block, layout.world_vertices);
}

std::span<BodyState> WorldView::goals(int id) const {
  const auto free = static_cast<std::size_t>(spec_->free_index[static_cast<std::size_t>(id)]);
  const std::size_t first = spec_->goal_offset[free];
  return {goals_ + first, spec_->goal_offset[free + 1] - first};
}

const BodyState* WorldView::goal(int id) const {
  const ObjectState& state = object(id);
  if (state.goal_index >= state.goal_count) return nullptr;
  if (spec_->free_index[static_cast<std::size_t>(id)] >= 0) return &goals(id)[state.goal_index];
  return &spec_->objects[static_cast<std::size_t>(id)].goals[state.goal_index];
}

void WorldView::SetGoals(int id, std::span<const BodyState> queue) const {
  const std::span<BodyState> slots = goals(id);
  assert(queue.size() <= slots.size());
  // A queue may be cut from the object's own slots, so the copy must allow overlap.
  if (!queue.empty()) std::memmove(slots.data(), queue.data(), queue.size_bytes());
  ObjectState& state = free_object(id);
  state.goal_index = 0;
  state.goal_count = static_cast<std::uint32_t>(queue.size());
}

std::span<Vec2> WorldView::body_vertices(int id) const {
  const auto free = static_cast<std::size_t>(spec_->free_index[static_cast<std::size_t>(id)]);
  const std::size_t first = spec_->vertex_offset[free];
  return {body_vertices_ + first, spec_->vertex_offset[free + 1] - first};
}

std::span<Vec2> WorldView::world_vertices(int id) const {
  const auto free = static_cast<std::size_t>(spec_->free_index[static_cast<std::size_t>(id)]);
  const std::size_t first = spec_->vertex_offset[free];
  return {world_vertices_ + first, spec_->vertex_offset[free + 1] - first};
}

std::size_t WorldView::BlockBytes(const WorldSpec& spec) { return LayoutOf(spec).bytes; }

WorldBatch::WorldBatch(std::vector<const WorldSpec*> spec_of_world)
    : specs_(std::move(spec_of_world)), offsets_(1, 0) {
  for (const WorldSpec* spec : specs_) {
    offsets_.push_back(offsets_.back() + WorldView::BlockBytes(*spec));
  }
  const std::align_val_t alignment{kBlockAlignment};
  block_.reset(static_cast<std::byte*>(::operator new[](offsets_.back(), alignment)));
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    ConstructBlock(*specs_[i], block_.get() + offsets_[i]);
  }
}

void WorldBatch::Free::operator()(std::byte* block) const {
  ::operator delete[](block, std::align_val_t{kBlockAlignment});
}

}  // namespace planarium
