"""IR-SIM 2.12.0 and Planarium with the same file and the same actions: every pose, flag and range.

Free-running where nobody avoids others by velocity obstacles; there one step at a time from
IR-SIM's state. What IR-SIM draws itself (places, shapes, wander goals) is given to Planarium; noise
is off and compared as a distribution by ``test_noise``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compare import Comparison, Report
from oracle import Array, ObjectState, Oracle, Snapshot
from tool import ParityTool, ToolSnapshot

HERE = Path(__file__).resolve().parent
OWN_WORLDS = sorted(p.name for p in (HERE / "worlds").glob("*.yaml"))
# fmt: off
REFERENCE_WORLDS = (
    "W01", "W02", "W06", "W07", "W09", "W11", "W13", "W14", "W15", "W16",
    "W17", "W24", "W25", "W47", "W50", "W60", "W63", "W66", "W72", "W93",
)
# fmt: on
)
BARN_WORLDS = 10

PHASE = 30
"""Steps after which robots are put elsewhere, and those with a behavior change the hand."""

HOLD = 5
"""Steps for which a random command is held."""


@dataclass(frozen=True)
class Plan:
    """How a world is driven: steps, seed and whether robots are put elsewhere at times."""

    steps: int
    seed: int
    teleport: bool = True


class Driver:
    """Random actions within the limits of each robot, now and then a bit beyond.

    Parameters
    ----------
    oracle
        Tells which robots there are and what they may do.
    plan
        How the world is driven.
    """

    def __init__(self, oracle: Oracle, plan: Plan) -> None:
        self._oracle = oracle
        self._plan = plan
        self._draw = np.random.default_rng(plan.seed)
        self._robots = [int(o.id) for o in oracle.objects if o.role == "robot" and not o.static]
        self._commands: dict[int, list[float]] = {}

    def actions(self, step: int) -> dict[int, list[float]]:
        """Commands of this step by robot; robots left out follow their behavior."""
        if step % HOLD == 0:
            self._commands = {i: self._random_command(i) for i in self._robots}
        steered = step // PHASE % 2 == 1
        return {
            i: command
            for i, command in self._commands.items()
            if steered or not self._oracle.behavior(i)
        }

    def _random_command(self, robot: int) -> list[float]:
        low, high = self._oracle.limits(robot)
        wide = 1.2 * (high - low) / 2.0
        command: Array = (low + high) / 2.0 + wide * self._draw.uniform(-1.0, 1.0, len(low))
        return [float(v) for v in command]

    def teleports(self, step: int) -> dict[int, list[float]]:
        """Draw new states of robots that are put elsewhere before this step."""
        if not self._plan.teleport or step == 0 or step % PHASE != 0:
            return {}
        low, high = self._oracle.bounds()
        places: dict[int, list[float]] = {}
        for robot in self._robots:
            state = np.zeros(int(self._oracle.objects[robot].state_dim))
            state[:2] = self._draw.uniform(low, high)
            state[2] = self._draw.uniform(-np.pi, np.pi)
            places[robot] = [float(v) for v in state]
        return places


def changes_of(state: ObjectState) -> dict[str, Any]:
    """All that Planarium needs to continue from an object state of IR-SIM."""
    return {
        "state": list(state.state),
        "velocity": list(state.velocity),
        "goal": [list(goal) for goal in state.goals] or None,
        "arrive": state.arrive,
        "collision": state.collision,
        "stop": state.stop,
    }


def redrawn_goals(oracle: Oracle, before: Snapshot, after: Snapshot) -> dict[int, dict[str, Any]]:
    """Wander goals that IR-SIM drew in this step; Planarium must not draw its own."""
    changes: dict[int, dict[str, Any]] = {}
    for i, obj in enumerate(oracle.objects):
        old, new = before.objects[i], after.objects[i]
        if obj.wander and old.arrive and not old.stop and not obj.static:
            changes[i] = {"goal": [list(goal) for goal in new.goals], "arrive": False}
    return changes


def run_world(tool_path: Path, world: Path, plan: Plan) -> Report:
    """Drive both simulators and compare every step.

    Parameters
    ----------
    tool_path
        The program ``parity_tool``.
    world
        World file.
    plan
        How it is driven.

    Returns
    -------
    Report
        What differs.
    """
    oracle = Oracle(world, plan.seed)
    report = Report()
    comparison = Comparison(oracle, report)
    driver = Driver(oracle, plan)
    one_step = oracle.uses_rvo()
    inject = {"objects": oracle.injection()}
    with ParityTool(tool_path, world, seed=plan.seed, noise=False, inject=inject) as tool:
        before = oracle.snapshot()
        in_step = comparison.check(None, before, tool.start)
        for step in range(plan.steps):
            resync = one_step or not in_step
            after, ours = _step_both(oracle, tool, driver, step, resync)
            in_step = comparison.check(before if resync else None, after, ours)
            before = after
            if report.errors:
                break
    return report


def _step_both(
    oracle: Oracle, tool: ParityTool, driver: Driver, step: int, resync: bool
) -> tuple[Snapshot, ToolSnapshot]:
    places = driver.teleports(step)
    for robot, state in places.items():
        oracle.place(robot, state)
    before = oracle.snapshot()
    actions = driver.actions(step)
    after = oracle.step(actions)
    changes: dict[int, dict[str, Any]] = {}
    if resync:
        changes = {i: changes_of(s) for i, s in enumerate(before.objects) if _moves(oracle, i)}
    for robot, state in places.items():
        changes.setdefault(robot, {})["state"] = state
    for i, change in redrawn_goals(oracle, before, after).items():
        changes.setdefault(i, {}).update(change)
    return after, tool.step(actions, changes)


def _moves(oracle: Oracle, i: int) -> bool:
    return not oracle.objects[i].static


def check(report: Report) -> None:
    """Fail with all differences; bound the events that rounding explains."""
    assert not report.errors, "\n".join(report.errors)
    assert report.grazes <= 2 + report.beams // 1000, f"{report.grazes} of {report.beams} beams"
    assert report.ties <= 2 + report.choices // 50, f"{report.ties} of {report.choices} choices"


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", OWN_WORLDS)
def test_own_world(parity_tool: Path, name: str, seed: int) -> None:
    """Small worlds of the project, behaviors and random actions by turns."""
    check(run_world(parity_tool, HERE / "worlds" / name, Plan(150, seed)))


@pytest.mark.parametrize("name", OWN_WORLDS)
def test_own_world_undisturbed(parity_tool: Path, name: str) -> None:
    """The same without putting robots elsewhere: long runs of the behaviors."""
    check(run_world(parity_tool, HERE / "worlds" / name, Plan(PHASE, 3, teleport=False)))


@pytest.mark.parametrize("number", REFERENCE_WORLDS)
def test_reference_world(parity_tool: Path, reference_worlds: Path, number: str) -> None:
    """World files of other projects, as they are."""
    found = sorted(reference_worlds.glob(f"{number}-*.yaml"))
    assert found, f"the reference data has no world {number}"
    check(run_world(parity_tool, found[0], Plan(100, 5)))


@pytest.mark.parametrize("position", range(BARN_WORLDS))
def test_barn_world(parity_tool: Path, reference_worlds: Path, position: int) -> None:
    """Dense fields of discs from the BARN navigation benchmark."""
    found = sorted((reference_worlds / "barn").glob("*.yaml"))
    if len(found) < BARN_WORLDS:
        pytest.skip("the reference data has no folder worlds/barn")
    world = found[position * len(found) // BARN_WORLDS]
    check(run_world(parity_tool, world, Plan(60, position)))


@dataclass
class Sums:
    """Running sums of one scanner's readings."""

    total: Array
    squares: Array
    valid: Array

    def moments(self, count: int) -> tuple[Array, Array, Array]:
        """Mean, standard deviation and share of valid readings."""
        mean: Array = self.total / count
        variance = np.maximum(self.squares / count - mean**2, 0.0)
        return mean, np.sqrt(variance), self.valid / count


def irsim_moments(world: Path, count: int) -> Iterator[tuple[int, tuple[Array, Array, Array]]]:
    """Moments of ``count`` noisy scans of each scanner of object 0."""
    oracle = Oracle(world, 11, noise=True)
    carrier = oracle.objects[0]
    for position, sensor in oracle.lidars(0):
        sums = Sums(*(np.zeros(int(sensor.number)) for _ in range(3)))
        for _ in range(count):
            sensor.step(carrier.state[0:3])
            sums.total += sensor.range_data
            sums.squares += sensor.range_data**2
            sums.valid += sensor.valid
        yield position, sums.moments(count)


def test_noise(parity_tool: Path) -> None:
    """Means, deviations and validity of 10 000 scans agree within their sampling error."""
    world, count = HERE / "worlds" / "lidar_noise.yaml", 10_000
    with ParityTool(parity_tool, world, seed=12, noise=True) as tool:
        ours = tool.moments(count)
    for position, (mean, std, valid) in irsim_moments(world, count):
        mine = ours[0, position]
        error = np.sqrt((std**2 + mine.std**2) / count)
        assert np.all(np.abs(mine.mean - mean) <= 5.0 * error + 1e-6), f"sensor {position}"
        assert np.all(np.abs(mine.std - std) <= 0.06 * std + 1e-6), f"sensor {position}"
        spread = np.sqrt((valid * (1.0 - valid) + 1e-3) / count)
        assert np.all(np.abs(mine.valid_rate - valid) <= 7.0 * spread), f"sensor {position}"
