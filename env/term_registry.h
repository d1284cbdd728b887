#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "env/term.h"

namespace planarium {

std::span<const TermRow<ObservationTerm>> ObservationRegistry();
std::span<const TermRow<RewardTerm>> RewardRegistry();
std::span<const TermRow<TerminationTerm>> TerminationRegistry();
std::span<const TermRow<CommandTerm>> CommandRegistry();
std::span<const TermRow<EventTerm>> EventRegistry();

/// The row of `name`, nullptr when unknown.
template <typename Term>
const TermRow<Term>* FindTerm(std::span<const TermRow<Term>> rows, std::string_view name) {
  for (const TermRow<Term>& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// A row without its factory, for documentation and GetServerInfo.
struct CatalogueRow {
  std::string_view
      kind;  ///< "observation", "reward", "termination", "command", "event", "sensor", "behavior"
  std::string_view name;
  std::string_view doc;
  std::span<const ParamSchema> params;
};

/// Every row of every registry: terms, sensors, behaviors.
std::vector<CatalogueRow> Catalogue();

}  // namespace planarium
