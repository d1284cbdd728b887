#include "env/behavior.h"

namespace planarium {

void BehaviorWorkspace::Reserve(const WorldSpec& spec) {
  std::size_t segment_count = 0;
  for (const ObjectSpec& object : spec.objects) {
    const auto* fixed_shape = std::get_if<Shape>(&object.shape);
    segment_count +=
        fixed_shape != nullptr ? fixed_shape->vertices.size() : MaxVertices(object.shape);
  }
  discs.reserve(spec.objects.size());
  segments.reserve(segment_count);
  cones.reserve(spec.objects.size() + segment_count);
}

}  // namespace planarium
