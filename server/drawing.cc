#include "server/drawing.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "physics/placed_shape.h"

namespace planarium {
namespace {

// Colours that stay apart for people with colour-vision deficiency (Okabe-Ito), and quiet greys.
struct Colour {
  double red, green, blue;
};
constexpr Colour kRobotColour{0x00 / 255.0, 0x9E / 255.0, 0x73 / 255.0};
constexpr Colour kObstacleColour{0.0, 0.0, 0.0};
constexpr Colour kMovingColour{0xE6 / 255.0, 0x9F / 255.0, 0x00 / 255.0};
constexpr Colour kLidarColour{0xCC / 255.0, 0x33 / 255.0, 0x11 / 255.0};
constexpr Colour kGoalColour{0x00 / 255.0, 0x72 / 255.0, 0xB2 / 255.0};
constexpr Colour kFloorColour{1.0, 1.0, 1.0};
constexpr Colour kPaperColour{0.945, 0.949, 0.957};
constexpr Colour kGridColour{0.90, 0.91, 0.92};
constexpr Colour kFrameColour{0.45, 0.47, 0.50};
constexpr Colour kTextColour{0.20, 0.22, 0.25};

// Proportions of the picture; lengths in pixels of a 640 pixel image, scaled with its size.
constexpr double kReferenceSide = 640.0;
constexpr double kMargin = 16.0;
constexpr double kTitleHeight = 26.0;
constexpr double kTitleSize = 14.0;
constexpr double kLineWidth = 1.5;
constexpr double kBeamWidth = 0.8;
constexpr double kHitRadius = 1.8;
constexpr double kSmallestMarker = 4.0;  // goals and robots stay visible in a huge world

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct DestroyContext {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, DestroySurface>;
using Context = std::unique_ptr<cairo_t, DestroyContext>;

void SetColour(cairo_t* cairo, const Colour& colour, double opacity = 1.0) {
  cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, opacity);
}

// The world rectangle and every robot, so that one that drove out is still seen.
Aabb ViewOf(const Scene& scene) {
  Aabb view = scene.bounds;
  for (const SceneBody& body : scene.bodies) {
    if (body.look != Look::kRobot) continue;
    view.Include({body.center.x - body.radius, body.center.y - body.radius});
    view.Include({body.center.x + body.radius, body.center.y + body.radius});
  }
  return view;
}

/// Maps metres to pixels: equal scale, y upward, the view centred below the title.
class Canvas {
 public:
  Canvas(cairo_t* cairo, const Aabb& view, const DrawingOptions& options)
      : cairo_(cairo), unit_(std::min(options.width, options.height) / kReferenceSide) {
    const double left = kMargin * unit_;
    const double top = (kMargin + kTitleHeight) * unit_;
    const double width = std::max(1.0, options.width - 2.0 * left);
    const double height = std::max(1.0, options.height - top - left);
    const double view_width = std::max(view.max_x - view.min_x, 1e-6);
    const double view_height = std::max(view.max_y - view.min_y, 1e-6);
    scale_ = std::min(width / view_width, height / view_height);
    origin_x_ = left + (width - scale_ * view_width) / 2.0 - scale_ * view.min_x;
    origin_y_ = top + (height + scale_ * view_height) / 2.0 + scale_ * view.min_y;
  }

  cairo_t* cairo() const { return cairo_; }
  double unit() const { return unit_; }  // [px] per reference pixel
  double Pixels(double metres) const { return scale_ * metres; }
  double X(double x) const { return origin_x_ + scale_ * x; }
  double Y(double y) const { return origin_y_ - scale_ * y; }

  void MoveTo(Vec2 p) const { cairo_move_to(cairo_, X(p.x), Y(p.y)); }
  void LineTo(Vec2 p) const { cairo_line_to(cairo_, X(p.x), Y(p.y)); }
  void Rectangle(const Aabb& box) const {
    cairo_rectangle(cairo_, X(box.min_x), Y(box.max_y), Pixels(box.max_x - box.min_x),
                    Pixels(box.max_y - box.min_y));
  }
  // A circle of at least `smallest` reference pixels.
  void Circle(Vec2 center, double radius, double smallest = 0.0) const {
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, X(center.x), Y(center.y), std::max(Pixels(radius), smallest * unit_), 0.0,
              2.0 * std::numbers::pi);
  }

 private:
  cairo_t* cairo_;
  double unit_;
  double scale_ = 1.0;
  double origin_x_ = 0.0;
  double origin_y_ = 0.0;
};

// Metres between grid lines: 1, 2 or 5 times a power of ten, at most ten lines a side.
double GridSpacing(const Aabb& box) {
  constexpr double kMostLines = 10.0;
  const double least = std::max({box.max_x - box.min_x, box.max_y - box.min_y, 1e-6}) / kMostLines;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least) return factor * decade;
  }
  return 10.0 * decade;
}

void DrawFloor(const Canvas& canvas, const Aabb& bounds) {
  cairo_t* cairo = canvas.cairo();
  canvas.Rectangle(bounds);
  SetColour(cairo, kFloorColour);
  cairo_fill(cairo);

  const double spacing = GridSpacing(bounds);
  for (double x = std::ceil(bounds.min_x / spacing) * spacing; x < bounds.max_x; x += spacing) {
    canvas.MoveTo({x, bounds.min_y});
    canvas.LineTo({x, bounds.max_y});
  }
  for (double y = std::ceil(bounds.min_y / spacing) * spacing; y < bounds.max_y; y += spacing) {
    canvas.MoveTo({bounds.min_x, y});
    canvas.LineTo({bounds.max_x, y});
  }
  SetColour(cairo, kGridColour);
  cairo_set_line_width(cairo, canvas.unit());
  cairo_stroke(cairo);

  canvas.Rectangle(bounds);
  SetColour(cairo, kFrameColour);
  cairo_set_line_width(cairo, kLineWidth * canvas.unit());
  cairo_stroke(cairo);
}

void DrawBeams(const Canvas& canvas, const std::vector<SceneBeam>& beams) {
  cairo_t* cairo = canvas.cairo();
  cairo_set_line_width(cairo, kBeamWidth * canvas.unit());
  for (const bool hit : {false, true}) {
    for (const SceneBeam& beam : beams) {
      if (beam.hit != hit) continue;
      canvas.MoveTo(beam.from);
      canvas.LineTo(beam.to);
    }
    SetColour(cairo, kLidarColour, hit ? 0.32 : 0.12);
    cairo_stroke(cairo);
  }
}

void DrawHits(const Canvas& canvas, const std::vector<SceneBeam>& beams) {
  for (const SceneBeam& beam : beams) {
    if (beam.hit) canvas.Circle(beam.to, 0.0, kHitRadius);
  }
  SetColour(canvas.cairo(), kLidarColour, 0.9);
  cairo_fill(canvas.cairo());
}

// A ring of the arrival threshold with a dot and a cross-hair: visible at any scale.
void DrawGoal(const Canvas& canvas, const SceneGoal& goal) {
  cairo_t* cairo = canvas.cairo();
  canvas.Circle(goal.at, goal.radius, 2.0 * kSmallestMarker);
  SetColour(cairo, kGoalColour, 0.18);
  cairo_fill_preserve(cairo);
  SetColour(cairo, kGoalColour);
  cairo_set_line_width(cairo, kLineWidth * canvas.unit());
  cairo_stroke(cairo);
  canvas.Circle(goal.at, 0.0, kSmallestMarker * 0.75);
  cairo_fill(cairo);
}

const Colour& ColourOf(Look look) {
  switch (look) {
    case Look::kRobot:
      return kRobotColour;
    case Look::kMovingObstacle:
      return kMovingColour;
    case Look::kObstacle:
      return kObstacleColour;
  }
  return kObstacleColour;
}

void TraceOutline(const Canvas& canvas, const SceneBody& body) {
  if (body.kind == ShapeKind::kCircle) {
    canvas.Circle(body.center, body.radius, body.look == Look::kRobot ? kSmallestMarker : 0.0);
    return;
  }
  for (std::size_t i = 0; i < body.outline.size(); ++i) {
    if (i == 0) canvas.MoveTo(body.outline[i]);
    if (i > 0) canvas.LineTo(body.outline[i]);
  }
  if (body.kind == ShapeKind::kPolygon) cairo_close_path(canvas.cairo());
}

void DrawBody(const Canvas& canvas, const SceneBody& body) {
  cairo_t* cairo = canvas.cairo();
  const Colour& colour = ColourOf(body.look);
  TraceOutline(canvas, body);
  if (body.kind != ShapeKind::kPolyline) {
    SetColour(cairo, colour, body.look == Look::kObstacle ? 0.85 : 0.80);
    cairo_fill_preserve(cairo);
  }
  const bool alarmed = body.collided && body.look == Look::kRobot;
  SetColour(cairo, alarmed ? kLidarColour : colour);
  cairo_set_line_width(cairo, (alarmed ? 2.0 : 1.0) * kLineWidth * canvas.unit());
  cairo_stroke(cairo);
}

// Distance from a body's centre to its outline. [m]
double InnerRadius(const SceneBody& body) {
  double radius = body.radius;
  const std::size_t n = body.outline.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 next = body.outline[(i + 1) % n];
    radius = std::min(radius, PointSegmentDistance(body.center, body.outline[i], next));
  }
  return radius;
}

// White arrow within a robot's body, longer in a long one.
void DrawHeading(const Canvas& canvas, const SceneBody& body) {
  cairo_t* cairo = canvas.cairo();
  const double inner = std::max(canvas.Pixels(InnerRadius(body)), kSmallestMarker * canvas.unit());
  const double length =
      std::min(1.6 * inner, std::max(0.72 * canvas.Pixels(body.radius), 0.72 * inner));
  const double width = 0.45 * inner;
  cairo_save(cairo);
  cairo_translate(cairo, canvas.X(body.center.x), canvas.Y(body.center.y));
  cairo_rotate(cairo, -body.pose.theta);
  cairo_move_to(cairo, length, 0.0);
  cairo_line_to(cairo, -0.55 * length, width);
  cairo_line_to(cairo, -0.20 * length, 0.0);
  cairo_line_to(cairo, -0.55 * length, -width);
  cairo_close_path(cairo);
  cairo_restore(cairo);
  SetColour(cairo, kFloorColour);
  cairo_fill(cairo);
}

void DrawTitle(const Canvas& canvas, const std::string& title, const DrawingOptions& options) {
  cairo_t* cairo = canvas.cairo();
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, kTitleSize * canvas.unit());
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, title.c_str(), &extents);

  // A long scenario name shrinks the title instead of leaving the picture.
  const double room = options.width - 2.0 * kMargin * canvas.unit();
  const double shrink = std::min(1.0, room / std::max(extents.width, 1.0));
  cairo_set_font_size(cairo, shrink * kTitleSize * canvas.unit());
  cairo_move_to(cairo, kMargin * canvas.unit(), (kMargin + 0.55 * kTitleHeight) * canvas.unit());
  SetColour(cairo, kTextColour);
  cairo_show_text(cairo, title.c_str());
}

void DrawAll(cairo_t* cairo, const Scene& scene, const DrawingOptions& options) {
  const Canvas canvas(cairo, ViewOf(scene), options);
  SetColour(cairo, kPaperColour);
  cairo_paint(cairo);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);

  // From the floor up: what matters most is drawn last.
  DrawFloor(canvas, scene.bounds);
  DrawBeams(canvas, scene.beams);
  for (const SceneGoal& goal : scene.goals) DrawGoal(canvas, goal);
  for (const SceneBody& body : scene.bodies) {
    if (body.look != Look::kRobot) DrawBody(canvas, body);
  }
  DrawHits(canvas, scene.beams);
  for (const SceneBody& body : scene.bodies) {
    if (body.look != Look::kRobot) continue;
    DrawBody(canvas, body);
    DrawHeading(canvas, body);
  }
  DrawTitle(canvas, scene.title, options);
}

cairo_status_t AppendBytes(void* out, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

void Require(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("drawing: ") + cairo_status_to_string(status));
  }
}

// Cairo's pixels are 0xXXRRGGBB in native byte order.
std::string ToRgb(cairo_surface_t* surface, const DrawingOptions& options) {
  const unsigned char* pixels = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  std::string rgb;
  rgb.reserve(static_cast<std::size_t>(options.width) * options.height * 3);
  for (int y = 0; y < options.height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(
        pixels + static_cast<std::size_t>(y) * static_cast<std::size_t>(stride));
    for (int x = 0; x < options.width; ++x) {
      rgb += static_cast<char>(row[x] >> 16);
      rgb += static_cast<char>(row[x] >> 8);
      rgb += static_cast<char>(row[x]);
    }
  }
  return rgb;
}

}  // namespace

std::string DrawScene(const Scene& scene, const DrawingOptions& options) {
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, options.width, options.height));
  Require(cairo_surface_status(surface.get()));
  const Context context(cairo_create(surface.get()));
  DrawAll(context.get(), scene, options);
  Require(cairo_status(context.get()));
  cairo_surface_flush(surface.get());
  if (options.format == ImageFormat::kRgb) return ToRgb(surface.get(), options);

  std::string png;
  Require(cairo_surface_write_to_png_stream(surface.get(), AppendBytes, &png));
  return png;
}

}  // namespace planarium
