#pragma once

#include <cstdint>
#include <string>

#include "server/scene.h"

namespace planarium {

enum class ImageFormat : std::uint8_t {
  kPng,
  kRgb,  ///< u8 (height, width, 3)
};

struct DrawingOptions {
  int width = 640;   ///< [px]
  int height = 640;  ///< [px]
  ImageFormat format = ImageFormat::kPng;
};

/// Draws a scene: world rectangle, bodies with their headings, goals and lidar beams, in equal
/// scale, the view wide enough for the world and all robots. Throws std::runtime_error when Cairo
/// fails (out of memory).
std::string DrawScene(const Scene& scene, const DrawingOptions& options);

}  // namespace planarium
