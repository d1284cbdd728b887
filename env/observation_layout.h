#pragma once

#include <memory>
#include <span>
#include <vector>

#include "env/term.h"
#include "env/vector_env.h"

namespace planarium {

/// Which term owns which columns of an observation row, with scale, offset, clip and bounds
/// applied.
class ObservationLayout {
 public:
  /// Builds the terms of `task` for one agent. Throws SpecError naming the term.
  ObservationLayout(const Task& task, const TermSetup& setup);

  int width() const { return width_; }
  std::vector<ColumnBlock> Describe() const;
  std::span<const float> low() const { return low_; }
  std::span<const float> high() const { return high_; }

  /// Writes one row of width() values, every one within its bounds. Never allocates.
  void Write(const AgentContext& context, float* row) const;

 private:
  struct Block {
    std::string name;
    std::unique_ptr<ObservationTerm> term;
    int start = 0;
    int width = 0;
  };
  void Add(const ObservationSpec& spec, const TermSetup& setup);

  std::vector<Block> blocks_;
  std::vector<float> scale_, offset_, low_, high_;  // (width)
  int width_ = 0;
};

}  // namespace planarium
