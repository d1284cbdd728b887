"""Rules by which a Planarium snapshot equals an IR-SIM snapshot.

Poses, velocities and goals agree to 1e-9. Ranges agree to 1e-9 in double precision, and within
2e-5 of the range in the float rows. Planarium's circles are exact while IR-SIM inscribes 64-gons,
so two things are compared by what the exact geometry demands: a range to a circle (Planarium reads
the exact one, IR-SIM lies between the circles of radius r and r cos(pi/64)), and the collision flag
while the exact circle touches and the 64-gon does not.

Where a ray grazes a corner, or a choice between equal candidates hangs on the last bit, both
answers are right. Such events are counted as ``grazes`` and ``ties``; tests bound their number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from oracle import ObjectState, Oracle, Scan, Snapshot
from scan_geometry import Array, Bools, Bounds, ScanGeometry
from tool import ToolScan, ToolSnapshot

TOLERANCE = 1e-9
"""Of poses, velocities, goals and double-precision ranges."""

FLOAT_TOLERANCE = 2e-5
"""Of float ranges, relative to the range."""

GRAZING_TURNS = (-1e-8, 1e-8)
"""Turns of a beam whose different answers show that it grazes something. [rad]"""

FLOAT_GRAZING_TURNS = (-1e-6, 1e-6)
"""The same for the float rows. [rad]"""

MAX_MESSAGES = 10


@dataclass
class Report:
    """What a comparison found.

    Attributes
    ----------
    errors
        Differences that no rule allows.
    beams, grazes
        Compared beams, and those that graze a corner.
    choices, ties
        Compared avoidance commands, and those between equal candidates.
    bands
        Collision flags that differ because a circle is not a 64-gon.
    bracketed
        Beams whose IR-SIM range was checked by the bracket of a circle.
    """

    errors: list[str] = field(default_factory=list)
    beams: int = 0
    grazes: int = 0
    choices: int = 0
    ties: int = 0
    bands: int = 0
    bracketed: int = 0

    def fail(self, text: str) -> None:
        """Note a difference."""
        if len(self.errors) < MAX_MESSAGES:
            self.errors.append(text)


class Comparison:
    """Compares one world step by step.

    Parameters
    ----------
    oracle
        The IR-SIM side; read, never changed.
    report
        Receives what is found.
    """

    def __init__(self, oracle: Oracle, report: Report) -> None:
        self._oracle = oracle
        self._report = report

    def check(self, before: Snapshot | None, theirs: Snapshot, ours: ToolSnapshot) -> bool:
        """Compare two snapshots.

        Parameters
        ----------
        before
            IR-SIM before the step when both sides started from it, which allows for ties of the
            avoidance; None when both run freely.
        theirs, ours
            The world after the step.

        Returns
        -------
        bool
            Whether both sides may run on from here; otherwise Planarium needs IR-SIM's state.
        """
        if len(theirs.objects) != len(ours.objects):
            self._report.fail(f"{len(ours.objects)} objects instead of {len(theirs.objects)}")
            return False
        in_step = [self._check_motion(i, before, theirs, ours) for i in range(len(ours.objects))]
        if not all(in_step):
            return False
        # What is fixed carries no flags in Planarium, and none of IR-SIM's has an effect there.
        free = [i for i in range(len(ours.objects)) if i not in ours.fixed]
        agree = [self._check_flags(i, theirs, ours) for i in free]
        self._check_scans(theirs, ours)
        return all(agree)

    def _check_motion(self, i: int, before: Snapshot | None, theirs: Snapshot, ours: ToolSnapshot) -> bool:
        a, b = theirs.objects[i], ours.objects[i]
        where = f"step {theirs.step} object {i}"
        if before is not None and self._oracle.behavior(i) == "rvo":
            self._report.choices += 1
            if not _close(a.velocity, b.velocity) and self._is_tie(i, before.objects[i], b):
                self._report.ties += 1
                return False
        same = True
        if not _close_pose(a.state, b.state):
            self._report.fail(f"{where}: state {b.state} instead of {a.state}")
            same = False
        if not _close(a.velocity, b.velocity):
            self._report.fail(f"{where}: velocity {b.velocity} instead of {a.velocity}")
            same = False
        return same

    def _is_tie(self, i: int, before: ObjectState, ours: ObjectState) -> bool:
        answers = self._oracle.rvo_alternatives(i, before)
        mine = np.array(ours.velocity)
        return any(bool(np.all(np.abs(answer - mine) < 1e-6)) for answer in answers)

    def _check_flags(self, i: int, theirs: Snapshot, ours: ToolSnapshot) -> bool:
        a, b = theirs.objects[i], ours.objects[i]
        where = f"step {theirs.step} object {i}"
        if a.arrive != b.arrive or not _same_goal(a, b):
            self._report.fail(
                f"{where}: arrive {b.arrive}, goal {b.goals[:1]} instead of {a.arrive}, {a.goals[:1]}"
            )
            return False
        if a.collision == b.collision:
            if a.stop != b.stop:
                self._report.fail(f"{where}: stop {b.stop} instead of {a.stop}")
            return a.stop == b.stop
        surely, perhaps = self._oracle.is_colliding_exactly(i, TOLERANCE)
        if (b.collision and not perhaps) or (not b.collision and surely):
            self._report.fail(f"{where}: collision {b.collision} instead of {a.collision}")
        self._report.bands += 1
        return False

    def _check_scans(self, theirs: Snapshot, ours: ToolSnapshot) -> None:
        if set(theirs.scans) != set(ours.scans):
            self._report.fail(f"scans of {sorted(ours.scans)} instead of {sorted(theirs.scans)}")
            return
        for (owner, sensor), scan in theirs.scans.items():
            geometry = self._oracle.scan_geometry(owner, sensor)
            lidar = self._oracle.objects[owner].sensors[sensor]
            check = ScanCheck(
                f"step {theirs.step} object {owner} sensor {sensor}",
                geometry,
                (float(lidar.range_min), float(lidar.range_max)),
                self._report,
            )
            check.compare(scan, ours.scans[owner, sensor])


class ScanCheck:
    """Compares one scan.

    Parameters
    ----------
    where
        Beginning of every message.
    geometry
        What the scanner sees.
    limits
        range_min and range_max. [m]
    report
        Receives what is found.
    """

    def __init__(
        self, where: str, geometry: ScanGeometry, limits: tuple[float, float], report: Report
    ) -> None:
        self._where = where
        self._geometry = geometry
        self._limits = limits
        self._report = report

    def compare(self, theirs: Scan, ours: ToolScan) -> None:
        """Compare ranges, validity and owners of all beams."""
        bounds = self._geometry.cast()
        self._report.beams += len(bounds.exact)
        if not len(theirs.ranges) == len(ours.reference) == len(ours.ranges):
            self._report.fail(f"{self._where}: {len(ours.ranges)} beams")
            return
        good = self._check_reference(bounds, ours)
        self._check_bracket(bounds, theirs)
        self._check_rows(ours)
        self._check_valid(bounds, theirs, ours, good)
        self._check_owner(bounds, ours, good)

    def _clip(self, ranges: Array) -> Array:
        return np.clip(ranges, *self._limits)

    def _check_reference(self, bounds: Bounds, ours: ToolScan) -> Bools:
        """Planarium's double ranges against the exact geometry; returns the beams that agree."""
        wrong = np.abs(ours.reference - self._clip(bounds.exact)) > TOLERANCE
        self._explain(wrong, ours.reference, bounds, GRAZING_TURNS, "reference")
        return ~wrong

    def _check_bracket(self, bounds: Bounds, theirs: Scan) -> None:
        """IR-SIM's ranges against the bracket, which is one value away from circles."""
        if bounds.inside_sliver:
            return
        low, high = self._clip(bounds.low), self._clip(bounds.high)
        self._report.bracketed += int(np.count_nonzero(high - low > TOLERANCE))
        wrong = (theirs.ranges < low - TOLERANCE) | (theirs.ranges > high + TOLERANCE)
        self._explain(wrong, theirs.ranges, bounds, GRAZING_TURNS, "IR-SIM range")

    def _check_rows(self, ours: ToolScan) -> None:
        """Float rows against the double ranges of the same scan."""
        wrong = np.abs(ours.ranges - ours.reference) > FLOAT_TOLERANCE * ours.reference
        if wrong.any():
            bounds = self._geometry.cast()
            self._explain(wrong, ours.ranges, bounds, FLOAT_GRAZING_TURNS, "float range")

    def _explain(
        self,
        wrong: Bools,
        ranges: Array,
        bounds: Bounds,
        turns: tuple[float, float],
        what: str,
    ) -> None:
        """Sort beams that differ into those that graze something and errors."""
        if not wrong.any():
            return
        low, high = bounds.low, bounds.high
        for turn in turns:
            turned = self._geometry.cast(turn)
            low = np.minimum(low, turned.low)
            high = np.maximum(high, turned.high)
        slack = TOLERANCE + FLOAT_TOLERANCE * high
        low, high = self._clip(low) - slack, self._clip(high) + slack
        for beam in np.flatnonzero(wrong):
            self._report.grazes += 1
            jump = high[beam] - low[beam] > 10.0 * slack[beam]
            if not (jump and low[beam] <= ranges[beam] <= high[beam]):
                self._report.fail(
                    f"{self._where} beam {beam}: {what} {ranges[beam]!r}, exact {bounds.exact[beam]!r}"
                )

    def _check_valid(self, bounds: Bounds, theirs: Scan, ours: ToolScan, good: Bools) -> None:
        """Check that a beam is valid when it hits within [range_min, range_max]."""
        range_min, range_max = self._limits
        hit = bounds.owner >= 0
        exact = hit & (bounds.exact >= range_min) & (bounds.exact <= range_max)
        edge = np.minimum(np.abs(bounds.exact - range_min), np.abs(bounds.exact - range_max))
        sure = good & (~hit | (edge > FLOAT_TOLERANCE * range_max))
        for beam in np.flatnonzero(sure & (ours.valid != exact)):
            self._report.fail(f"{self._where} beam {beam}: valid {ours.valid[beam]}")
        tight = sure & (bounds.high - bounds.low <= TOLERANCE) & ~bounds.inside_sliver
        for beam in np.flatnonzero(tight & (theirs.valid != exact)):
            self._report.fail(f"{self._where} beam {beam}: IR-SIM valid {theirs.valid[beam]}")

    def _check_owner(self, bounds: Bounds, ours: ToolScan, good: Bools) -> None:
        """Check the object hit, unless two lie equally far."""
        for beam in np.flatnonzero(good & (ours.owner != bounds.owner)):
            alone = self._geometry.cast(owner=int(ours.owner[beam])).exact[beam]
            slack = TOLERANCE + FLOAT_TOLERANCE * bounds.exact[beam]
            if ours.owner[beam] >= 0 and abs(alone - bounds.exact[beam]) <= slack:
                continue
            if bounds.exact[beam] >= self._limits[1] * (1.0 - FLOAT_TOLERANCE):
                continue
            self._report.fail(
                f"{self._where} beam {beam}: owner {ours.owner[beam]} instead of {bounds.owner[beam]}"
            )


def _close(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return len(a) == len(b) and all(abs(x - y) <= TOLERANCE for x, y in zip(a, b, strict=True))


def _close_pose(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Like ``_close``; a heading of -pi equals one of pi."""
    if len(a) != len(b):
        return False
    turn = math.remainder(a[2] - b[2], 2.0 * math.pi)
    return _close(a[:2] + a[3:], b[:2] + b[3:]) and abs(turn) <= TOLERANCE


def _same_goal(a: ObjectState, b: ObjectState) -> bool:
    if not a.goals or not b.goals:
        return not a.goals and not b.goals
    return _close(a.goals[0], b.goals[0][: len(a.goals[0])])
