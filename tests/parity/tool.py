"""Talks to ``parity_tool``, a Planarium world behind JSON lines on standard input and output.

The first line asks for a world::

    {"scenario": PATH, "seed": 1, "noise": false,
     "inject": {"objects": {ID: {
         "state": [...], "velocity": [...], "goal": [[...], ...],
         "shape": {"kind": "polygon" | "polyline", "vertices": [[x, y], ...]}
                | {"kind": "circle", "radius": r, "center": [x, y]}}}}}

Every later line asks for a step, or for many at once::

    {"actions": {ID: [...]},
     "set": {ID: {"state", "velocity", "goal", "arrive", "collision", "stop"}}}   before the step
    {"env_action": [...], "set": {...}}               the environment's own step, see below
    {"moments": COUNT}                                steps without actions, only scan moments

Every answer is one line: ``{"error": TEXT}``, or a snapshot::

    {"step": k,
     "objects": [{"id", "fixed", "state", "velocity", "goal": [...] | null,
                  "arrive", "collision", "stop"}],
     "scans": [{"object", "sensor", "ranges_reference", "ranges", "valid", "owner"}]}

With ``env_action`` the first robot gets numbers within [-1, 1], as from a client, and the others
steer themselves. For ``moments`` the scans carry ``mean``, ``std`` and ``valid_rate`` per beam
instead.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from oracle import ObjectState
from scan_geometry import Array, Bools, Ints


class ToolError(RuntimeError):
    """The tool refused a request or died."""


@dataclass(frozen=True)
class ToolScan:
    """One scan: float32 row, its double-precision reference, validity and owner per beam."""

    reference: Array
    ranges: Array
    valid: Bools
    owner: Ints


@dataclass(frozen=True)
class ToolSnapshot:
    """The world after ``step`` steps.

    Attributes
    ----------
    step
        Number of steps.
    objects
        In id order.
    fixed
        Ids of the objects that all worlds share: they never move and carry no flags.
    scans
        Keyed by (object id, sensor position).
    """

    step: int
    objects: tuple[ObjectState, ...]
    fixed: frozenset[int]
    scans: Mapping[tuple[int, int], ToolScan]


@dataclass(frozen=True)
class Moments:
    """Mean [m], standard deviation [m] and share of valid readings, per beam."""

    mean: Array
    std: Array
    valid_rate: Array


class ParityTool:
    """A Planarium world in a process of its own.

    Parameters
    ----------
    binary
        The program ``parity_tool``.
    scenario
        World file.
    options
        Further keys of the first line, e.g. ``inject``.
    """

    def __init__(self, binary: Path, scenario: Path, **options: Any) -> None:
        self._process = subprocess.Popen(
            [str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.start = _snapshot(self._ask({"scenario": str(scenario), **options}))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=10)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def step(
        self, actions: Mapping[int, list[float]], changes: Mapping[int, Mapping[str, Any]]
    ) -> ToolSnapshot:
        """Apply changes, then advance one step with the given commands."""
        request = {
            "actions": {str(i): command for i, command in actions.items()},
            "set": {str(i): dict(change) for i, change in changes.items()},
        }
        return _snapshot(self._ask(request))

    def step_env(self, action: list[float], changes: Mapping[int, Mapping[str, Any]]) -> ToolSnapshot:
        """Apply changes, then let the environment step with the first robot's action."""
        request = {
            "env_action": action,
            "set": {str(i): dict(change) for i, change in changes.items()},
        }
        return _snapshot(self._ask(request))

    def moments(self, count: int) -> dict[tuple[int, int], Moments]:
        """Moments of ``count`` scans taken in as many steps without actions."""
        answer = self._ask({"moments": count})
        return {
            (int(s["object"]), int(s["sensor"])): Moments(
                np.array(s["mean"], dtype=float),
                np.array(s["std"], dtype=float),
                np.array(s["valid_rate"], dtype=float),
            )
            for s in answer["scans"]
        }

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise ToolError(f"parity_tool ended with code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise ToolError(str(answer["error"]))
        return answer


def _snapshot(answer: Mapping[str, Any]) -> ToolSnapshot:
    scans = {
        (int(s["object"]), int(s["sensor"])): ToolScan(
            np.array(s["ranges_reference"], dtype=float),
            np.array(s["ranges"], dtype=float),
            np.array(s["valid"], dtype=bool),
            np.array(s["owner"], dtype=np.int64),
        )
        for s in answer["scans"]
    }
    objects = tuple(map(_object, answer["objects"]))
    fixed = frozenset(int(item["id"]) for item in answer["objects"] if item["fixed"])
    return ToolSnapshot(int(answer["step"]), objects, fixed, scans)


def _object(item: Mapping[str, Any]) -> ObjectState:
    goal = item["goal"]
    return ObjectState(
        tuple(map(float, item["state"])),
        tuple(map(float, item["velocity"])),
        () if goal is None else (tuple(map(float, goal)),),
        bool(item["arrive"]),
        bool(item["collision"]),
        bool(item["stop"]),
    )
