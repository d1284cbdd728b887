"""Worlds and tasks of the tests, and actions that are a function of slot and step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Small enough that a blind driver soon arrives, collides or runs out of time.
ARENA = """
world: {height: 4, width: 4, step_time: 0.2}
robot:
  - kinematics: {name: diff}
    shape: {name: circle, radius: 0.15}
    state: [1, 1, 0]
    goal: [3, 3, 0]
    vel_min: [0, -2]
    vel_max: [1, 2]
    goal_threshold: 0.4
    sensors:
      - {type: lidar2d, range_min: 0, range_max: 3, angle_range: 3.0, number: 16, noise: true, std: 0.02}
obstacle:
  - shape: {name: linestring, vertices: [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]}
    state: [0, 0, 0]
  - shape: {name: circle, radius: 0.3}
    state: [2, 2, 0]
  - shape: {name: circle, radius: 0.15}
    kinematics: {name: omni}
    behavior: {name: dash, wander: true, range_low: [0.5, 0.5, -3], range_high: [3.5, 3.5, 3]}
    state: [1, 3, 0]
    vel_min: [-0.3, -0.3]
    vel_max: [0.3, 0.3]
"""

# Drawn starts and goals, short episodes.
ARENA_TASK = """
task:
  episode: {max_steps: 25}
  events:
    - {mode: reset, term: robot.spawn}
  commands:
    - {name: goal, term: goal.uniform, clearance: 0.2, min_distance: 1.0}
"""

# Without a lidar and alone: two arenas whose spaces agree.
FIELD = """
world: {height: 8, width: 8, step_time: 0.1}
robot:
  - kinematics: {name: diff}
    shape: {name: circle, radius: 0.2}
    state: [1, 1, 0]
    goal: [6, 6, 0]
"""
FIELD_WITH_PILLAR = (
    FIELD
    + """
obstacle:
  - shape: {name: circle, radius: 0.4}
    state: [4, 3, 0]
"""
)


def actions_at(step: int, num_envs: int, first: int = 0) -> NDArray[np.float32]:
    """Actions (num_envs, 2) of one step; a slot's do not depend on how many there are.

    Mostly forward with a turn that changes every few steps, so that all ways of ending an episode occur.
    """
    slots = np.arange(first, first + num_envs)
    turn = np.sin(0.37 * (step // 4) + 1.7 * slots)
    drive = np.where((step // 30 + slots) % 5 == 0, -1.0, 0.9)
    return np.stack([drive, turn], axis=1).astype(np.float32)
