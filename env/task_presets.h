#pragma once

#include <string_view>
#include <vector>

#include "env/task.h"

namespace planarium {

/// Names of the shipped tasks: "default", "drl_nav".
std::vector<std::string_view> TaskPresetNames();
/// A shipped task. REQUIRES: a name of TaskPresetNames().
Task TaskPreset(std::string_view name);

}  // namespace planarium
