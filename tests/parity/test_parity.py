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
from oracle import ObjectState, Oracle, Snapshot
from scan_geometry import Array
from tool import ParityTool, ToolSnapshot

HERE = Path(__file__).resolve().parent
OWN_WORLDS = sorted(p.name for p in (HERE / "worlds").glob("*.yaml"))
# fmt: off
REFERENCE_WORLDS = (
    "W01", "W02", "W06", "W07", "W09", "W11", "W13", "W14", "W15", "W16",
    "W17", "W24", "W25", "W47", "W50", "W60", "W63", "W66", "W72", "W93",
)
# fmt: on
BARN_WORLDS = 10

PHASE = 30
"""Steps after which robots are put elsewhere, and those with a behavior change the hand."""

HOLD = 5
"""Steps for which a random command is held."""


@dataclass(frozen=True)
class Plan:
    """How a world is driven.

    Attributes
    ----------
    steps, seed
        Number of steps, and seed of actions and of IR-SIM's draws.
    teleport
        Puts robots elsewhere at times.
    by_env
        Steps through the environment, where the first robot alone takes actions, floats within
        [-1, 1]; otherwise every robot takes commands in double precision.
    """

    steps: int
    seed: int
    teleport: bool = True
    by_env: bool = False


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
        self.env_action: list[float] = []

    def actions(self, step: int) -> dict[int, list[float]]:
        """Commands of this step by robot; robots left out follow their behavior."""
        if self._plan.by_env:
            return self._agent_action(step)
        if step % HOLD == 0:
            self._commands = {i: self._random_command(i) for i in self._robots}
        steered = step // PHASE % 2 == 1
        return {
            i: command for i, command in self._commands.items() if steered or not self._oracle.behavior(i)
        }

    def _agent_action(self, step: int) -> dict[int, list[float]]:
        """Draw an action within [-1, 1] for the first robot and map it to its command."""
        low, high = self._oracle.limits(self._robots[0])
        if step % HOLD == 0:
            self.env_action = [float(np.float32(a)) for a in self._draw.uniform(-1.0, 1.0, len(low))]
        command = low + 0.5 * (np.array(self.env_action) + 1.0) * (high - low)
        return {self._robots[0]: [float(v) for v in command]}

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
    if driver.env_action:
        return after, tool.step_env(driver.env_action, changes)
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


@pytest.mark.parametrize("name", OWN_WORLDS)
def test_environment_step(parity_tool: Path, name: str) -> None:
    """The environment's own step: float actions for the first robot, the others by themselves."""
    check(run_world(parity_tool, HERE / "worlds" / name, Plan(100, 4, by_env=True)))


def test_circle_band_is_met(parity_tool: Path) -> None:
    """A disc that touches where the 64-gon does not: the flags differ, and that is right."""
    report = run_world(parity_tool, HERE / "worlds" / "circle_band.yaml", Plan(5, 1))
    check(report)
    assert report.bands == 5


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


def irsim_samples(world: Path, count: int) -> Iterator[tuple[int, Array, Array]]:
    """Ranges and validity of ``count`` noisy scans, (count, beams), per scanner of object 0."""
    oracle = Oracle(world, 11, noise=True)
    carrier = oracle.objects[0]
    for position, sensor in oracle.lidars(0):
        ranges = np.empty((count, int(sensor.number)))
        valid = np.empty((count, int(sensor.number)))
        for k in range(count):
            sensor.step(carrier.state[0:3])
            ranges[k] = sensor.range_data
            valid[k] = sensor.valid
        yield position, ranges, valid


def test_motion_noise(parity_tool: Path) -> None:
    """Means and deviations of 4000 noisy steps from one state agree within their sampling error."""
    world, count = HERE / "worlds" / "motion_noise.yaml", 4000
    commands = {0: [1.0, 0.5], 1: [1.2, -0.3], 2: [0.7, -0.4], 3: [0.3, 0.6, -0.8]}
    oracle = Oracle(world, 21, noise=True)
    starts = {i: oracle.snapshot().objects[i].state for i in commands}
    theirs: dict[int, list[tuple[float, ...]]] = {i: [] for i in commands}
    mine: dict[int, list[tuple[float, ...]]] = {i: [] for i in commands}
    with ParityTool(parity_tool, world, seed=22, noise=True) as tool:
        for _ in range(count):
            for i, start in starts.items():
                oracle.place(i, start)
            after = oracle.step(commands)
            ours = tool.step(commands, {i: {"state": list(start)} for i, start in starts.items()})
            for i in commands:
                theirs[i].append(after.objects[i].state)
                mine[i].append(ours.objects[i].state)
                assert ours.objects[i].velocity == pytest.approx(after.objects[i].velocity)
    for i in commands:
        expected, found = np.array(theirs[i]), np.array(mine[i])
        variance = expected.var(0)
        fourth = ((expected - expected.mean(0)) ** 4).mean(0)
        # Twice the sampling variance: both sides are samples.
        error = np.sqrt(2.0 * variance / count)
        variance_error = np.sqrt(2.0 * np.maximum(fourth - variance**2, 0.0) / count)
        assert np.any(variance > 1e-8), f"robot {i} has no noise"
        assert np.all(np.abs(found.mean(0) - expected.mean(0)) <= 5.0 * error + 1e-12), f"robot {i}"
        assert np.all(np.abs(found.var(0) - variance) <= 5.0 * variance_error + 1e-12), f"robot {i}"


def test_noise(parity_tool: Path) -> None:
    """Means, deviations and validity of 10 000 scans agree within their sampling error."""
    world, count = HERE / "worlds" / "lidar_noise.yaml", 10_000
    with ParityTool(parity_tool, world, seed=12, noise=True) as tool:
        ours = tool.moments(count)
    for position, ranges, valid in irsim_samples(world, count):
        mine = ours[0, position]
        mean, variance, rate = ranges.mean(0), ranges.var(0), valid.mean(0)
        fourth = ((ranges - mean) ** 4).mean(0)
        # Twice the sampling variance: both sides are samples.
        error = np.sqrt(2.0 * variance / count)
        variance_error = np.sqrt(2.0 * np.maximum(fourth - variance**2, 0.0) / count)
        rate_error = np.sqrt(2.0 * (rate * (1.0 - rate) + 1.0 / count) / count)
        name = f"sensor {position}"
        assert np.all(np.abs(mine.mean - mean) <= 5.0 * error + 1e-6), name
        assert np.all(np.abs(mine.std**2 - variance) <= 5.0 * variance_error + 1e-6), name
        assert np.all(np.abs(mine.valid_rate - rate) <= 5.0 * rate_error), name
