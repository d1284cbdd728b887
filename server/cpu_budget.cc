#include "server/cpu_budget.h"

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

namespace planarium {
namespace {

constexpr int kUnlimited = std::numeric_limits<int>::max();

int AffinityCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return kUnlimited;
  return CPU_COUNT(&set);
}

// Whole CPUs granted by one cpu.max file ("QUOTA PERIOD" or "max PERIOD").
int QuotaCpus(const std::filesystem::path& file) {
  std::ifstream in(file);
  double quota = 0.0;
  double period = 0.0;
  if (!(in >> quota >> period) || period <= 0.0) return kUnlimited;
  return static_cast<int>(std::clamp(quota / period, 0.0, 1e6));
}

// Path of this process within the unified hierarchy ("0::/a/b" in /proc/self/cgroup).
std::string OwnCgroup() {
  constexpr std::string_view kUnified = "0::/";
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kUnified)) return line.substr(kUnified.size());
  }
  return "";
}

}  // namespace

int CpuBudget(const std::string& cgroup_root) {
  int cpus = AffinityCpus();

  // A quota counts wherever it is set between the process's own group and the root.
  std::filesystem::path group = std::filesystem::path(cgroup_root) / OwnCgroup();
  const std::filesystem::path root(cgroup_root);
  while (group.native().size() > root.native().size()) {
    cpus = std::min(cpus, QuotaCpus(group / "cpu.max"));
    group = group.parent_path();
  }
  cpus = std::min(cpus, QuotaCpus(root / "cpu.max"));
  return std::max(cpus, 1);
}

}  // namespace planarium
