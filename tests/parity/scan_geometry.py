"""What a scanner of ir-sim can see, with circles as circles beside IR-SIM's 64-gons."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

POLYGON_SHRINK = math.cos(math.pi / 64.0)
"""Inner radius of IR-SIM's circle, a 64-gon inscribed in the unit circle."""

ORIGIN_EPSILON = 1e-9
"""IR-SIM ignores hits nearer than this. [m]"""


@dataclass(frozen=True)
class Bounds:
    """What a scan must read, computed from the geometry of the step.

    Attributes
    ----------
    exact
        Ranges with exact circles, not clipped to ``range_min``. [m]
    low, high
        Bracket of a scan whose circles are 64-gons. [m]
    owner
        Object that the exact beam hits, -1 for a miss.
    inside_sliver
        The scanner stands between a circle and its 64-gon: no bracket holds.
    """

    exact: Array
    low: Array
    high: Array
    owner: Ints
    inside_sliver: bool


class ScanGeometry:
    """Everything that one scanner can see at one instant, circles kept as circles."""

    def __init__(self, env: Any, carrier: Any, sensor: Any) -> None:
        self._casting = importlib.import_module("irsim.lib.algorithm.ray_casting_2d")
        self.range_max = float(sensor.range_max)
        origin = np.asarray(sensor.lidar_origin, dtype=float).reshape(-1)
        self.origin: Array = origin[:2]
        self.angles: Array = float(origin[2]) + np.asarray(sensor.angle_list, dtype=float)
        self.circles: list[tuple[Array, float, int]] = []
        starts: list[Array] = [np.empty((0, 2))]
        ends: list[Array] = [np.empty((0, 2))]
        owners: list[Ints] = [np.empty(0, dtype=np.int64)]
        for obj in env.objects:
            if obj.id == carrier.id or obj.unobstructed or not obj._geometry_valid:
                continue
            if obj.shape == "circle":
                self.circles.append((circle_center(obj), float(obj.radius), int(obj.id)))
                continue
            start, end = self._casting.boundary_segments([obj.geometry])
            starts.append(start)
            ends.append(end)
            owners.append(np.full(len(start), obj.id, dtype=np.int64))
        self._start = np.concatenate(starts)
        self._end = np.concatenate(ends)
        self._owner = np.concatenate(owners)

    def cast(self, turn: float = 0.0, owner: int | None = None) -> Bounds:
        """Cast all beams, each turned by ``turn``, against everything or one object only.

        Parameters
        ----------
        turn
            Angle that is added to every beam. [rad]
        owner
            Restricts the scene to this object.

        Returns
        -------
        Bounds
            Exact ranges and the bracket of the 64-gons.
        """
        directions = _directions(self.angles + turn)
        keep = np.full(len(self._owner), True) if owner is None else self._owner == owner
        segment_owner = self._owner[keep]
        ranges, index = self._casting.cast_ray_segments(
            self.origin, directions, self._start[keep], self._end[keep], self.range_max
        )
        owners = np.full(len(ranges), -1, dtype=np.int64)
        owners[index >= 0] = segment_owner[index[index >= 0]]
        exact, low, high = ranges.copy(), ranges.copy(), ranges.copy()
        sliver = False
        for center, radius, circle in self.circles:
            if owner is not None and circle != owner:
                continue
            outer = _ray_circle(self.origin, directions, center, radius, self.range_max)
            inner = _ray_circle(self.origin, directions, center, radius * POLYGON_SHRINK, self.range_max)
            owners[outer < exact] = circle
            exact = np.minimum(exact, outer)
            low = np.minimum(low, np.minimum(outer, inner))
            high = np.minimum(high, np.maximum(outer, inner))
            distance = float(np.hypot(*(center - self.origin)))
            sliver |= radius * POLYGON_SHRINK - 1e-9 <= distance <= radius + 1e-9
        return Bounds(exact, low, high, owners, sliver)


def _directions(angles: Array) -> Array:
    return np.column_stack((np.cos(angles), np.sin(angles)))


def circle_center(obj: Any) -> Array:
    """World position of a circle's centre, in metres."""
    local = np.asarray(obj.original_centroid, dtype=float).reshape(-1)
    x, y, theta = (float(v) for v in obj.state[:3, 0])
    cos, sin = math.cos(theta), math.sin(theta)
    return np.array([x + cos * local[0] - sin * local[1], y + sin * local[0] + cos * local[1]])


def _ray_circle(origin: Array, directions: Array, center: Array, radius: float, range_max: float) -> Array:
    """Distance along each ray to a circle's rim; ``range_max`` for a miss."""
    to_center = center - origin
    along = directions @ to_center
    across = directions[:, 0] * to_center[1] - directions[:, 1] * to_center[0]
    half_squared = (radius - np.abs(across)) * (radius + np.abs(across))
    half = np.sqrt(np.maximum(half_squared, 0.0))
    near, far = along - half, along + half
    distance = np.where(near > ORIGIN_EPSILON, near, far)
    hit = (half_squared >= 0.0) & (distance > ORIGIN_EPSILON) & (distance <= range_max)
    return np.where(hit, distance, range_max)


def gap(a: Any, b: Any) -> float:
    """Signed distance of two bodies, circles being circles; only the sign of an overlap counts."""
    shapely = importlib.import_module("shapely")
    shapes: list[Any] = []
    inflation = 0.0
    for obj in (a, b):
        if obj.shape == "circle":
            shapes.append(shapely.Point(circle_center(obj)))
            inflation += float(obj.radius)
        else:
            shapes.append(obj.geometry)
    distance = float(shapely.distance(shapes[0], shapes[1]))
    if distance > 0.0 or inflation > 0.0:
        return distance - inflation
    return 0.0 if shapely.touches(shapes[0], shapes[1]) else -1.0
