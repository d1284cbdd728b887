#include "server/memory_budget.h"

#include <array>
#include <cstdio>

#include "server/status.h"

namespace planarium {

std::string BytesText(std::size_t bytes) {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024.0;
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", value, kUnits[unit]);
  return text.data();
}

MemoryBudget::MemoryBudget(const ServerLimits& limits)
    : max_bytes_(limits.max_memory), max_batches_(limits.max_batches) {}

std::shared_ptr<MemoryBudget> MemoryBudget::Make(const ServerLimits& limits) {
  return std::shared_ptr<MemoryBudget>(new MemoryBudget(limits));
}

std::unique_ptr<MemoryBudget::Hold> MemoryBudget::Reserve(std::size_t bytes, std::size_t num_envs) {
  std::lock_guard lock(mutex_);
  if (batches_ >= max_batches_) {
    throw RequestError(StatusCode::kResourceExhausted,
                       "batches: " + std::to_string(batches_) + " exist, limit " +
                           std::to_string(max_batches_) +
                           "; destroy one or start the server with a larger --max-batches");
  }
  Take(bytes, num_envs);
  ++batches_;
  return std::make_unique<Hold>(shared_from_this(), bytes);
}

void MemoryBudget::Hold::Extend(std::size_t bytes, std::size_t num_envs) {
  std::lock_guard lock(budget_->mutex_);
  budget_->Take(bytes, num_envs);
  bytes_ += bytes;
}

void MemoryBudget::Take(std::size_t bytes, std::size_t num_envs) {
  const std::size_t free = max_bytes_ - bytes_;
  if (bytes > free) {
    throw RequestError(StatusCode::kResourceExhausted,
                       "num_envs: " + std::to_string(num_envs) + " worlds need " +
                           BytesText(bytes) + " (" + BytesText(bytes / num_envs) +
                           " each), free budget " + BytesText(free) + " of " +
                           BytesText(max_bytes_) +
                           "; lower num_envs or start the server with a larger --max-memory");
  }
  bytes_ += bytes;
}

std::size_t MemoryBudget::used() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

void MemoryBudget::Release(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  bytes_ -= bytes;
  --batches_;
}

}  // namespace planarium
