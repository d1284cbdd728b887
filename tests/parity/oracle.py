"""Drives ir-sim 2.12.0 without a window and tells what it did, step by step.

The package is reached through ``importlib`` because it ships no type information. Everything that
touches its inner names stands in this file; the version is pinned in ``requirements.txt``.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scan_geometry import Array, Bools, ScanGeometry, gap


@dataclass(frozen=True)
class ObjectState:
    """What one object looks like between two steps.

    Attributes
    ----------
    state
        x [m], y [m], theta [rad] and, for a car, steer [rad].
    velocity
        Stored command in the command frame of the drive.
    goals
        Remaining goal queue, current goal first; empty without a goal.
    arrive, collision, stop
        The flags of the last status check.
    """

    state: tuple[float, ...]
    velocity: tuple[float, ...]
    goals: tuple[tuple[float, ...], ...]
    arrive: bool
    collision: bool
    stop: bool


@dataclass(frozen=True)
class Scan:
    """One scan of one lidar2d: ranges [m] and whether each beam measured something."""

    ranges: Array
    valid: Bools


@dataclass(frozen=True)
class Snapshot:
    """The world after ``step`` steps; scans are keyed by (object id, sensor position)."""

    step: int
    objects: tuple[ObjectState, ...]
    scans: Mapping[tuple[int, int], Scan]


@dataclass(frozen=True)
class RvoCall:
    """One question to the velocity-obstacle solver: ego, neighbours, walls and its settings."""

    ego: tuple[float, ...]
    discs: tuple[tuple[float, ...], ...]
    walls: tuple[tuple[float, ...], ...]
    limits: tuple[float, float, float, float]
    mode: str


class Oracle:
    """An IR-SIM environment of one world file.

    Parameters
    ----------
    path
        World file.
    seed
        Seed of IR-SIM's own draws (places, shapes, wander goals).
    noise
        Leaves the noise of motion and scanners as the file says; otherwise all noise is off.
    """

    def __init__(self, path: Path, seed: int, noise: bool = False) -> None:
        self._util: Any = importlib.import_module("irsim.util.util")
        self._behaviors: Any = importlib.import_module("irsim.lib.behavior.behavior_methods")
        self.path = path
        irsim: Any = importlib.import_module("irsim")
        self.env: Any = irsim.make(str(path), headless=True, log_level="CRITICAL", seed=seed)
        self.count = 0
        self._rvo_calls: list[RvoCall] = []
        if not noise:
            self._silence()

    def _silence(self) -> None:
        for obj in self.env.objects:
            obj.kf.noise = False
            for sensor in obj.sensors:
                sensor.noise = False
        self.env._objects_sensor_step()

    @property
    def objects(self) -> list[Any]:
        """IR-SIM's objects in id order."""
        objects: list[Any] = self.env.objects
        return objects

    @property
    def step_time(self) -> float:
        """Length of one step, in seconds."""
        return float(self.env._world.step_time)

    def lidars(self, object_id: int) -> list[tuple[int, Any]]:
        """Scanners of an object with their positions in its sensor list."""
        sensors = self.objects[object_id].sensors
        return [(k, s) for k, s in enumerate(sensors) if s.sensor_type == "lidar2d"]

    def behavior(self, object_id: int) -> str:
        """Name of the object's behavior that IR-SIM has built in, else an empty text."""
        name = self.objects[object_id].beh_config.get("name", "")
        return name if name in ("dash", "rvo") else ""

    def uses_rvo(self) -> bool:
        """Tell whether some moving object avoids others by velocity obstacles."""
        return any(self.behavior(obj.id) == "rvo" and not obj.static for obj in self.objects)

    def limits(self, object_id: int) -> tuple[Array, Array]:
        """Lowest and highest command of an object, per row."""
        obj = self.objects[object_id]
        rows = int(obj.vel_dim)
        low = np.broadcast_to(np.asarray(obj.vel_min, dtype=float).reshape(-1), (rows,))
        high = np.broadcast_to(np.asarray(obj.vel_max, dtype=float).reshape(-1), (rows,))
        return low, high

    def bounds(self) -> tuple[Array, Array]:
        """Lower left and upper right corner of the world, in metres."""
        world = self.env._world
        low = np.asarray(world.offset[:2], dtype=float)
        return low, low + np.array([world.width, world.height], dtype=float)

    def snapshot(self) -> Snapshot:
        """Copy of everything that is compared."""
        scans = {
            (int(obj.id), k): Scan(
                np.array(sensor.range_data, dtype=float), np.array(sensor.valid, dtype=bool)
            )
            for obj in self.objects
            for k, sensor in self.lidars(obj.id)
        }
        return Snapshot(self.count, tuple(_state_of(obj) for obj in self.objects), scans)

    def step(self, actions: Mapping[int, Sequence[float]]) -> Snapshot:
        """Advance one step; objects without an action follow their behavior.

        Parameters
        ----------
        actions
            Commands by object id, in the command frame.

        Returns
        -------
        Snapshot
            The world after the step.
        """
        self._rvo_calls = []
        original = self._behaviors.reciprocal_vel_obs
        self._behaviors.reciprocal_vel_obs = self._recorder(original)
        try:
            ids = list(actions)
            commands = [np.array(actions[i], dtype=float).reshape(-1, 1) for i in ids]
            self.env.step(commands or None, ids if commands else None)
        finally:
            self._behaviors.reciprocal_vel_obs = original
        self.count += 1
        return self.snapshot()

    def _recorder(self, original: Any) -> Any:
        calls = self._rvo_calls

        class Recorder(original):  # type: ignore[misc]
            """The solver, remembering what it was asked."""

            def cal_vel(self, mode: str = "rvo") -> Any:
                """Answer as the original does."""
                calls.append(
                    RvoCall(
                        tuple(float(v) for v in self.state),
                        tuple(tuple(float(v) for v in d) for d in self.obs_state_list),
                        tuple(tuple(float(v) for v in w) for w in self.line_obs_list),
                        (self.vxmax, self.vymax, self.acce, self.factor),
                        mode,
                    )
                )
                return super().cal_vel(mode)

        return Recorder

    def place(self, object_id: int, state: Sequence[float]) -> None:
        """Put an object elsewhere without a status check."""
        self.objects[object_id].set_state(list(state))

    def scan_geometry(self, object_id: int, sensor: int) -> ScanGeometry:
        """Collect what one scanner sees now."""
        carrier = self.objects[object_id]
        return ScanGeometry(self.env, carrier, carrier.sensors[sensor])

    def injection(self) -> dict[str, Any]:
        """Everything that IR-SIM drew itself: places, shapes and wander goals, by object id."""
        drawn: dict[str, Any] = {}
        for obj, entry in zip(self.objects, self._entries(), strict=False):
            item: dict[str, Any] = {}
            if entry["random_place"]:
                item["state"] = _numbers(obj._init_state)
                item["goal"] = [_numbers(goal) for goal in obj._init_goal]
            if obj.wander:
                item["goal"] = [_numbers(goal) for goal in obj._goal]
            if entry["random_shape"]:
                item["shape"] = _shape_of(obj)
            if item:
                drawn[str(obj.id)] = item
        return drawn

    def _entries(self) -> list[dict[str, bool]]:
        found: list[dict[str, bool]] = []
        for section in ("robot", "obstacle"):
            parsed = self.env.env_config.parse[section]
            entries = parsed if isinstance(parsed, list) else [parsed]
            for entry in entries:
                if isinstance(entry, dict):
                    found += _expand_entry(entry)
        return found

    def is_colliding_exactly(self, object_id: int, margin: float) -> tuple[bool, bool]:
        """Collision of an object when circles are circles.

        Parameters
        ----------
        object_id
            The object.
        margin
            Distance within which a contact is a matter of rounding. [m]

        Returns
        -------
        tuple of bool
            Whether it touches somebody by at least ``margin``, and whether it comes within
            ``margin`` of touching.
        """
        me = self.objects[object_id]
        gaps = [
            gap(me, other)
            for other in self.objects
            if other.id != me.id and not other.unobstructed and other.shape != "map"
        ]
        return any(g < -margin for g in gaps), any(g <= margin for g in gaps)

    def rvo_alternatives(
        self, object_id: int, before: ObjectState, count: int = 64, spread: float = 1e-9
    ) -> list[Array]:
        """Commands that IR-SIM gives when the inputs of its solver change by rounding.

        Candidates that are equally good, or that lie on the edge of a cone, make the choice a
        matter of the last bit; these are all the answers that are right.

        Parameters
        ----------
        object_id
            The object that avoids others.
        before
            Its state before the step.
        count
            Number of perturbed questions.
        spread
            Size of the perturbations. [m, m/s]

        Returns
        -------
        list of arrays
            Clipped commands.
        """
        obj = self.objects[object_id]
        calls = [c for c in self._rvo_calls if c.ego[:2] == before.state[:2]]
        if not calls:
            return []
        draw = np.random.default_rng(object_id)
        answers: list[Array] = []
        for _ in range(count):
            command = self._solve_perturbed(obj, calls[0], draw, spread)
            answers.append(self._clip(obj, command, np.array(before.velocity)))
        return answers

    def _solve_perturbed(self, obj: Any, call: RvoCall, draw: np.random.Generator, spread: float) -> Array:
        def shake(values: tuple[float, ...]) -> list[float]:
            noise = draw.uniform(-spread, spread, len(values))
            return [v + float(n) for v, n in zip(values, noise, strict=True)]

        ego = shake(call.ego)
        discs = [shake(d) for d in call.discs]
        walls = [shake(w) for w in call.walls]
        arguments = (ego, discs, *call.limits, call.mode, math.inf)
        if obj.kinematics == "diff":
            command = self._behaviors.DiffRVO(*arguments, line_segments=walls)
        else:
            world = self._behaviors.OmniRVO(*arguments, line_segments=walls)
            command = self._util.vel_world2omni(call.ego[7], world)
        return np.asarray(command, dtype=float).reshape(-1)

    def _clip(self, obj: Any, command: Array, previous: Array) -> Array:
        low, high = self.limits(obj.id)
        acceleration = np.asarray(obj.info.acce, dtype=float).reshape(-1)
        if not np.isinf(acceleration).all():
            window = acceleration * self.step_time
            low = np.maximum(low, previous - window)
            high = np.minimum(high, previous + window)
        return np.asarray(np.clip(command, low, high), dtype=float)


def _state_of(obj: Any) -> ObjectState:
    goals = () if obj.goal is None else tuple(tuple(_numbers(goal)) for goal in obj._goal)
    return ObjectState(
        tuple(_numbers(obj.state)),
        tuple(_numbers(obj.velocity)),
        goals,
        bool(obj.arrive_flag),
        bool(obj.collision_flag),
        bool(obj.stop_flag),
    )


def _numbers(values: Any) -> list[float]:
    return [float(v) for v in np.asarray(values, dtype=float).reshape(-1)]


def _shape_of(obj: Any) -> dict[str, Any]:
    if obj.shape == "circle":
        center = _numbers(obj.original_centroid)
        return {"kind": "circle", "radius": float(obj.radius), "center": center}
    kind = "polyline" if obj.shape == "linestring" else "polygon"
    vertices = np.asarray(obj.original_vertices, dtype=float).T
    return {"kind": kind, "vertices": [_numbers(v) for v in vertices]}


def _expand_entry(entry: dict[str, Any]) -> list[dict[str, bool]]:
    number = int(entry.get("number", 1))
    distribution = entry.get("distribution") or {}
    shape = entry.get("shape") or {}
    shapes = shape if isinstance(shape, list) else [shape]
    return [
        {
            "random_place": distribution.get("name") == "random",
            "random_shape": bool(shapes[min(i, len(shapes) - 1)].get("random_shape", False)),
        }
        for i in range(number)
    ]
