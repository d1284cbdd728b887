#pragma once

#include <string>

namespace planarium {

/// CPUs that this process may use: the smaller of its affinity and its cgroup quota, the quota
/// rounded down (a thread too many is throttled at every barrier), at least 1. `cgroup_root` is
/// where cgroup v2 is mounted.
int CpuBudget(const std::string& cgroup_root = "/sys/fs/cgroup");

}  // namespace planarium
