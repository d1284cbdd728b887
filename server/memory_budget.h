#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "server/limits.h"

namespace planarium {

/// "48.2 GiB", "704 B": sizes as people read them.
std::string BytesText(std::size_t bytes);

/// What all batches together may take. Batches are priced and paid for before they are made, so
/// that a request too large is an error text and not an out-of-memory kill.
class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  /// A share of the budget and one of the batch places, given back by the destructor.
  class Hold {
   public:
    Hold(std::shared_ptr<MemoryBudget> budget, std::size_t bytes)
        : budget_(std::move(budget)), bytes_(bytes) {}
    ~Hold() { budget_->Release(bytes_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    /// Takes `bytes` more for the same batch. Throws as Reserve does and then holds what it held.
    void Extend(std::size_t bytes, std::size_t num_envs);

   private:
    std::shared_ptr<MemoryBudget> budget_;
    std::size_t bytes_;
  };

  static std::shared_ptr<MemoryBudget> Make(const ServerLimits& limits);

  /// Takes `bytes` for one batch of `num_envs` worlds. Throws RESOURCE_EXHAUSTED with the numbers.
  std::unique_ptr<Hold> Reserve(std::size_t bytes, std::size_t num_envs);
  std::size_t used() const;

 private:
  explicit MemoryBudget(const ServerLimits& limits);
  void Take(std::size_t bytes, std::size_t num_envs);  // needs mutex_
  void Release(std::size_t bytes);

  const std::size_t max_bytes_;
  const std::size_t max_batches_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::size_t batches_ = 0;
};

}  // namespace planarium
