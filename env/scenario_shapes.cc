#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "env/scenario_parts.h"

namespace planarium {
namespace {

const std::vector<double> kOrigin{0.0, 0.0};

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Any shape may carry the wheelbase that an acker model falls back to.
double ReadWheelbase(MapReader& reader) {
  const YamlValue value = reader.Get("wheelbase");
  return value.given() ? reader.Number("wheelbase", 0.0, kNonNegativeQuantity) : 0.0;
}

// An interval `[low, high]` within bounds, not reversed.
std::array<double, 2> ReadRange(MapReader& reader, std::string_view key,
                                const std::array<double, 2>& fallback, const NumberRule& rule) {
  const auto range = reader.Numbers(key, {fallback[0], fallback[1]}, Exactly(2), rule);
  if (range[0] > range[1]) reader.Error(key, "the lower end exceeds the upper end");
  return {range[0], range[1]};
}

LoadedShape ReadCircle(MapReader& reader) {
  LoadedShape shape;
  shape.wheelbase = ReadWheelbase(reader);
  const YamlValue radius = reader.Get("radius");
  const bool is_random = reader.Bool("random_shape", false);
  const std::vector<double> center = reader.Numbers("center", kOrigin, {2, 3}, kQuantity);
  const auto range = ReadRange(reader, "radius_range", {0.1, 1.0}, kNonNegativeQuantity);
  // The rear axle is the origin of a car: its middle lies half a wheelbase ahead.
  const Vec2 middle{center[0] + shape.wheelbase / 2, center[1]};
  reader.Finish(UnknownKeys::kError);
  if (is_random) {
    if (!(range[1] > 0.0)) reader.Error("radius_range", "a circle needs a radius > 0");
    shape.spec = RandomCircle{range[0], range[1], middle};
  } else {
    shape.spec = MakeCircle(middle, ReadNumber(radius, 0.2, kPositiveQuantity, reader.findings()));
  }
  return shape;
}

LoadedShape ReadRectangle(MapReader& reader) {
  LoadedShape shape;
  shape.wheelbase = ReadWheelbase(reader);
  const double length = reader.Number("length", 1.0, kPositiveQuantity);
  const double width = reader.Number("width", 1.0, kPositiveQuantity);
  reader.Finish(UnknownKeys::kError);
  shape.spec = MakeRectangle(length, width, shape.wheelbase);
  return shape;
}

// `vertices: [[x, y], ...]`; nothing when they cannot be used.
std::optional<std::vector<Vec2>> ReadVertices(const YamlValue& value, LoadContext& context) {
  Findings& findings = context.findings;
  if (!value.node->IsSequence()) {
    findings.Add(Severity::kError, value.node, value.path,
                 "expected a list of [x, y], got " + value.node->Describe());
    return std::nullopt;
  }
  const std::size_t count = value.node->items.size();
  if (count > static_cast<std::size_t>(context.limits.max_vertices)) {
    findings.Add(Severity::kError, value.node, value.path,
                 std::to_string(count) + " vertices; at most " +
                     std::to_string(context.limits.max_vertices) + " are allowed");
    return std::nullopt;
  }
  std::vector<Vec2> vertices;
  for (std::size_t i = 0; i < count; ++i) {
    const YamlValue item = value.Item(i);
    const std::vector<double> point = ReadNumbers(item, {}, Exactly(2), kQuantity, findings);
    if (!item.given()) {
      findings.Add(Severity::kError, item.node, item.path, "expected [x, y], got null");
    }
    if (point.size() != 2) return std::nullopt;
    vertices.push_back({point[0], point[1]});
  }
  return vertices;
}

void DropRepeated(std::vector<Vec2>& vertices) {
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
}

struct Segment {
  Vec2 a, b;
};

// True when the open segments cross or one end lies on the other segment.
bool Meet(const Segment& s, const Segment& t) {
  const double a = Cross(s.b - s.a, t.a - s.a);
  const double b = Cross(s.b - s.a, t.b - s.a);
  const double c = Cross(t.b - t.a, s.a - t.a);
  const double d = Cross(t.b - t.a, s.b - t.a);
  Aabb first;
  Aabb second;
  for (const Vec2 p : {s.a, s.b}) first.Include(p);
  for (const Vec2 p : {t.a, t.b}) second.Include(p);
  return a * b <= 0.0 && c * d <= 0.0 && Overlaps(first, second);
}

// Names the first two edges of a ring that meet, for the warning: "edges 0 and 2 meet".
std::string MeetingEdges(const std::vector<Vec2>& ring) {
  const std::size_t n = ring.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 2; j < n; ++j) {
      const bool adjacent = i == 0 && j == n - 1;
      if (adjacent || !Meet({ring[i], ring[i + 1]}, {ring[j], ring[(j + 1) % n]})) continue;
      return "edges " + std::to_string(i) + " and " + std::to_string(j) + " meet";
    }
  }
  return "an edge runs back over the one before";
}

// A ring as IR-SIM takes it: open or closed, and its bounding box when it is not simple.
Shape PolygonFrom(std::vector<Vec2> ring, const YamlValue& vertices, Findings& findings) {
  DropRepeated(ring);
  if (ring.size() > 1 && ring.front() == ring.back()) ring.pop_back();
  Aabb box;
  for (const Vec2 p : ring) box.Include(p);
  if (ring.size() < 3 || !(box.max_x > box.min_x) || !(box.max_y > box.min_y)) {
    findings.Add(Severity::kError, vertices.node, vertices.path,
                 "a polygon needs at least 3 different vertices that are not on one line",
                 "for a wall use shape: {name: linestring, vertices: ...}");
    return Shape{};
  }
  if (IsSimpleRing(ring)) return MakePolygon(std::move(ring));
  findings.Add(Severity::kWarning, vertices.node, vertices.path,
               "the polygon is not simple (" + MeetingEdges(ring) +
                   "): its bounding box is used, as in IR-SIM");
  return MakePolygon(BoundingBoxRing(ring));
}

Shape PolylineFrom(std::vector<Vec2> chain, const YamlValue& vertices, Findings& findings) {
  DropRepeated(chain);
  if (chain.size() >= 2) return MakePolyline(std::move(chain));
  findings.Add(Severity::kError, vertices.node, vertices.path,
               "a linestring needs at least 2 different vertices");
  return Shape{};
}

// Keys of the random polygon generator; `is_round` puts all vertices on one circle.
RandomPolygon ReadRandomPolygon(MapReader& reader, ShapeKind kind, const LoadContext& context) {
  RandomPolygon spec;
  spec.kind = kind;
  constexpr NumberRule kShare{.low = 0.0, .high = 1.0};
  const std::vector<double> box =
      reader.Numbers("center_range", {0.0, 0.0, 0.0, 0.0}, Exactly(4), kQuantity);
  std::copy_n(box.begin(), 4, spec.center_range.begin());
  if (box[0] > box[2] || box[1] > box[3]) {
    reader.Error("center_range", "expected [min x, min y, max x, max y]");
  }
  spec.avg_radius_range = ReadRange(reader, "avg_radius_range", {0.1, 1.0}, kNonNegativeQuantity);
  if (!(spec.avg_radius_range[1] > 0.0)) {
    reader.Error("avg_radius_range", "a polygon needs a radius > 0");
  }
  spec.irregularity_range = ReadRange(reader, "irregularity_range", {0.0, 1.0}, kShare);
  spec.spikeyness_range = ReadRange(reader, "spikeyness_range", {0.0, 1.0}, kShare);

  const double fewest = kind == ShapeKind::kPolygon ? 3.0 : 2.0;
  const NumberRule counts{.low = fewest, .high = context.limits.max_vertices + 1.0};
  const auto range = ReadRange(reader, "num_vertices_range", {4.0, 10.0}, counts);
  const bool whole =
      range[0] == static_cast<int>(range[0]) && range[1] == static_cast<int>(range[1]);
  spec.num_vertices_range = {static_cast<int>(range[0]), static_cast<int>(range[1])};
  if (!whole || !(range[0] < range[1])) {
    reader.Error("num_vertices_range", "expected two integers [low, high) with low < high",
                 "the upper end itself is never drawn");
  }
  return spec;
}

LoadedShape ReadPolygon(MapReader& reader, LoadContext& context) {
  LoadedShape shape;
  shape.wheelbase = ReadWheelbase(reader);
  const YamlValue vertices = reader.Get("vertices");
  const bool is_random = reader.Bool("random_shape", false);
  const bool is_convex = reader.Bool("is_convex", false);
  RandomPolygon random = ReadRandomPolygon(reader, ShapeKind::kPolygon, context);
  reader.Finish(UnknownKeys::kWarn);
  if (is_random) {
    if (is_convex && !reader.Has("spikeyness_range")) random.spikeyness_range = {0.0, 0.0};
    shape.spec = random;
    return shape;
  }
  std::vector<Vec2> ring{{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
  if (vertices.given()) {
    ring = ReadVertices(vertices, context).value_or(ring);
  } else {
    reader.Warn("", "a polygon without vertices is a square of 2 m, as in IR-SIM");
  }
  shape.spec = PolygonFrom(std::move(ring), vertices, context.findings);
  return shape;
}

LoadedShape ReadPolyline(MapReader& reader, LoadContext& context) {
  LoadedShape shape;
  shape.wheelbase = ReadWheelbase(reader);
  const YamlValue vertices = reader.Get("vertices");
  const bool is_random = reader.Bool("random_shape", false);
  const bool is_convex = reader.Bool("is_convex", true);
  RandomPolygon random = ReadRandomPolygon(reader, ShapeKind::kPolyline, context);
  reader.Finish(UnknownKeys::kWarn);
  if (!vertices.given() && !(is_random && vertices.present())) {
    reader.Error("vertices", "a linestring needs vertices",
                 is_random ? "IR-SIM asks for them even with random_shape; their value is free"
                           : "write vertices: [[x, y], [x, y]]");
    return shape;
  }
  if (is_random) {
    if (is_convex && reader.Has("spikeyness_range")) {
      reader.Error("spikeyness_range", "not together with is_convex, the default of a linestring",
                   "write is_convex: false");
    }
    if (is_convex) random.spikeyness_range = {0.0, 0.0};
    shape.spec = random;
    return shape;
  }
  const std::vector<Vec2> chain =
      ReadVertices(vertices, context).value_or(std::vector<Vec2>{{0.0, 0.0}, {1.0, 0.0}});
  shape.spec = PolylineFrom(chain, vertices, context.findings);
  return shape;
}

void RefuseShape(MapReader& reader, const std::string& name) {
  if (name == "compound") {
    reader.Error("name", "compound shapes are not built yet",
                 "use one circle, rectangle or polygon");
    return;
  }
  const std::string nearest = Nearest(name, {"circle", "rectangle", "polygon", "linestring"});
  reader.Error("name", "unknown shape '" + name + "'",
               nearest.empty() ? "known: circle, rectangle, polygon, linestring"
                               : "did you mean " + nearest + "?");
}

LoadedShape ReadShapeMapping(const YamlValue& value, LoadContext& context) {
  MapReader reader(value, context.findings);
  const std::string name = LowerCase(reader.Text("name", "circle"));
  if (reader.node() == nullptr) return {};
  if (name == "circle") return ReadCircle(reader);
  if (name == "rectangle") return ReadRectangle(reader);
  if (name == "polygon") return ReadPolygon(reader, context);
  if (name == "linestring") return ReadPolyline(reader, context);
  RefuseShape(reader, name);
  return {};
}

}  // namespace

LoadedShape ReadShape(const YamlValue& shape, LoadContext& context) {
  if (!shape.given()) return {MakeCircle({0.0, 0.0}, 1.0), 0.0};
  if (shape.node->IsText()) {
    context.findings.Add(Severity::kError, shape.node, shape.path,
                         "expected a mapping, got " + shape.node->Describe(),
                         "write shape: {name: " + shape.node->text + "}");
    return {};
  }
  // Many objects may share a node: it is read once.
  const auto known = context.shapes.find(shape.node);
  if (known != context.shapes.end()) return known->second;
  return context.shapes.emplace(shape.node, ReadShapeMapping(shape, context)).first->second;
}

}  // namespace planarium
