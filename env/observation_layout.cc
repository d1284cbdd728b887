#include "env/observation_layout.h"

#include <algorithm>
#include <stdexcept>

#include "env/term_registry.h"

namespace planarium {
namespace {

// Two selects instead of a clamp call, and no aliasing: the compiler turns it into vector code.
void ScaleAndBound(const float* __restrict scale, const float* __restrict offset,
                   const float* __restrict lo, const float* __restrict hi, std::size_t number,
                   float* __restrict out) {
  for (std::size_t k = 0; k < number; ++k) {
    float value = out[k] * scale[k] + offset[k];
    value = value < lo[k] ? lo[k] : value;
    out[k] = value > hi[k] ? hi[k] : value;
  }
}

}  // namespace

ObservationLayout::ObservationLayout(const Task& task, const TermSetup& setup) {
  for (const ObservationSpec& spec : task.observations) {
    try {
      Add(spec, setup);
    } catch (const std::invalid_argument& error) {
      throw SpecError(
          {{Severity::kError, task.name, 0, 0, "observations." + spec.term, error.what(), ""}});
    }
  }
  if (width_ == 0) {
    throw SpecError({{Severity::kError, task.name, 0, 0, "observations",
                      "no observation term is left for " + setup.spec().name, ""}});
  }
}

void ObservationLayout::Add(const ObservationSpec& spec, const TermSetup& setup) {
  const auto* row = FindTerm(ObservationRegistry(), spec.term);
  if (row == nullptr) throw std::invalid_argument("unknown observation term");
  // A robot without a lidar simply has no lidar columns; asking for one of several sensors by
  // position is taken at its word.
  if (row->needs_lidar && !spec.params.Has("sensor") && setup.FindLidar(spec.params) < 0) return;
  Block block{spec.term, row->make(spec.params, setup), width_, 0};
  const double divisor = spec.scale_by.empty() ? 1.0 : block.term->ScaleBy(spec.scale_by);
  const auto scale = static_cast<float>(spec.scale / divisor);
  const auto offset = static_cast<float>(spec.offset);
  for (const Column& column : block.term->Columns()) {
    const auto a = static_cast<float>(column.low) * scale + offset;
    const auto b = static_cast<float>(column.high) * scale + offset;
    const auto clip_low = static_cast<float>(spec.clip[0]);
    const auto clip_high = static_cast<float>(spec.clip[1]);
    low_.push_back(std::clamp(std::min(a, b), clip_low, clip_high));
    high_.push_back(std::clamp(std::max(a, b), clip_low, clip_high));
    scale_.push_back(scale);
    offset_.push_back(offset);
    ++block.width;
  }
  width_ += block.width;
  blocks_.push_back(std::move(block));
}

std::vector<ColumnBlock> ObservationLayout::Describe() const {
  std::vector<ColumnBlock> out;
  for (const Block& block : blocks_) {
    ColumnBlock description{block.name, block.start, block.width, block.term->unit(), {}};
    for (Column& column : block.term->Columns())
      description.labels.push_back(std::move(column.label));
    out.push_back(std::move(description));
  }
  return out;
}

void ObservationLayout::Write(const AgentContext& context, float* row) const {
  for (const Block& block : blocks_) block.term->Write(context, row + block.start);
  ScaleAndBound(scale_.data(), offset_.data(), low_.data(), high_.data(), low_.size(), row);
}

}  // namespace planarium
