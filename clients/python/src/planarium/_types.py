"""Plain values that describe servers, scenarios and batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Autoreset(IntEnum):
    """What happens to a slot whose episode ended; the numbers of the wire."""

    NEXT_STEP = 1
    SAME_STEP = 2
    DISABLED = 3


class EndReason(IntEnum):
    """Why an episode ended; the numbers of the wire."""

    NONE = 0
    SUCCESS = 1
    COLLISION = 2
    TIME_LIMIT = 3
    OUT_OF_BOUNDS = 4
    STALLED = 5
    INTERRUPTED = 6
    FAULT = 7
    OTHER = 8


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a file.

    Attributes
    ----------
    severity : str
        ``"error"``, ``"warning"`` or ``"note"``.
    line, column : int
        1-based; 0 where there is no position.
    key_path : str
        ``"robot[0].sensors[0].type"``.
    """

    severity: str
    file: str
    line: int
    column: int
    key_path: str
    message: str
    hint: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        hint = f"; {self.hint}" if self.hint else ""
        key = f" {self.key_path}" if self.key_path else ""
        return f"{place}{key}: {self.message}{hint} ({self.severity})"


@dataclass(frozen=True)
class ScenarioReport:
    """What a server says about a world file: whether it can be used, and all findings."""

    valid: bool
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class ScenarioHandle:
    """A registered scenario; ``step_time`` in seconds."""

    scenario_id: str
    name: str
    diagnostics: tuple[Diagnostic, ...]
    num_robots: int
    num_objects: int
    step_time: float


@dataclass(frozen=True)
class CatalogueEntry:
    """A documented task term, sensor or behavior; ``params`` are (name, type, default, unit, doc)."""

    kind: str
    name: str
    doc: str
    params: tuple[tuple[str, str, str, str, str], ...]


@dataclass(frozen=True)
class ServerInfo:
    """Version, limits and abilities of a server.

    Attributes
    ----------
    limits : dict
        Name of a limit to its value, names as in ``Limits`` of the contract.
    threads : int
        Worker threads of a batch that asks for 0.
    floating_point : str
        Tag of the arithmetic: equal tags give equal bits.
    """

    version: str
    protocol: tuple[int, int]
    features: tuple[str, ...]
    limits: dict[str, float]
    threads: int
    ray_kernel: str
    floating_point: str
    catalogue: tuple[CatalogueEntry, ...]


@dataclass(frozen=True)
class ColumnBlock:
    """Columns ``[start, start + width)`` of a row: their term, unit and one label each."""

    term: str
    start: int
    width: int
    unit: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class TensorSpec:
    """Shape (of one agent), closed float32 bounds of that shape, and the meaning of the columns."""

    name: str
    shape: tuple[int, ...]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    columns: tuple[ColumnBlock, ...]


@dataclass(frozen=True)
class LidarSpec:
    """A scanner of an agent: ranges in metres, ``angles`` float64 (number,) and offset in rad, m."""

    agent: int
    sensor: int
    range_min: float
    range_max: float
    angles: NDArray[np.float64]
    offset: tuple[float, ...]


@dataclass(frozen=True)
class BatchSpec:
    """Everything about a batch that does not change; fields as in the contract.

    Attributes
    ----------
    observation, action : TensorSpec
        Rows are (N, A, *shape).
    seed : int
        Root seed in use, also when the server drew it.
    step_time : float
        Simulated seconds of one step of scenario 0.
    max_episode_steps : int
        0: no limit.
    """

    batch_id: str
    num_envs: int
    num_agents: int
    agent_names: tuple[str, ...]
    observation: TensorSpec
    action: TensorSpec
    autoreset: Autoreset
    seed: int
    step_time: float
    max_episode_steps: int
    reward_terms: tuple[str, ...]
    termination_names: tuple[str, ...]
    task_yaml: str
    scenario_names: tuple[str, ...]
    bytes_per_world: int
    total_bytes: int
    lease_seconds: float
    threads: int
    owner: str
    lidars: tuple[LidarSpec, ...] = ()


@dataclass(frozen=True)
class EpisodeEnds:
    """Episodes that ended in one call, one entry per slot, ascending.

    Attributes
    ----------
    slots : ndarray of int32, shape (k,)
    returns : ndarray of float64, shape (k, A)
        Undiscounted sums of rewards.
    lengths : ndarray of int32, shape (k,)
        Steps.
    success : ndarray of bool, shape (k,)
    reasons : ndarray of uint8, shape (k,)
        `EndReason` numbers.
    seeds : ndarray of uint64, shape (k,)
        Episode seeds: ``reset(seed=..., options={"episode_exact": True})`` replays the episode.
    episodes : ndarray of uint64, shape (k,)
        Index of the episode within its slot.
    final_observations : ndarray of float32, shape (k, A, *observation shape), or None
        Last observation of each episode; None for episodes that a reset cut short and whose last
        observation the server did not send again.
    scenarios : ndarray of int32, shape (k,)
        Index into ``BatchSpec.scenario_names``.
    sim_seconds : ndarray of float64, shape (k,)
    path_lengths : ndarray of float64, shape (k, A)
        Metres driven.
    collided : ndarray of uint8, shape (k,)
        0 none, 1 static obstacle, 2 moving obstacle, 3 robot.
    """

    slots: NDArray[np.int32]
    returns: NDArray[np.float64]
    lengths: NDArray[np.int32]
    success: NDArray[np.bool_]
    reasons: NDArray[np.uint8]
    seeds: NDArray[np.uint64]
    episodes: NDArray[np.uint64]
    final_observations: NDArray[np.float32] | None
    scenarios: NDArray[np.int32]
    sim_seconds: NDArray[np.float64]
    path_lengths: NDArray[np.float64]
    collided: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.slots)


@dataclass(frozen=True)
class Rows:
    """One answer of a batch: every slot's row, and the episodes that ended.

    Attributes
    ----------
    observations : ndarray of float32, shape (N, A, *observation shape)
    rewards : ndarray of float32, shape (N, A)
    terminated, truncated, alive : ndarray of bool, shape (N, A)
    first : ndarray of bool, shape (N,)
        The row holds the first observation of an episode.
    reward_terms : ndarray of float32, shape (N, A, T), or None
        Weighted values, only when asked for.
    ends : EpisodeEnds or None
        None when no episode ended.
    faults : dict
        Slot to text, for slots whose episode was cut short by a fault.
    simulate_ns : int
        Time spent in the simulator.
    """

    observations: NDArray[np.float32]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    first: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    reward_terms: NDArray[np.float32] | None = None
    ends: EpisodeEnds | None = None
    faults: dict[int, str] = field(default_factory=dict)
    simulate_ns: int = 0


@dataclass(frozen=True)
class LaserScan:
    """One scan of a lidar, meanings of ROS ``sensor_msgs/LaserScan``.

    Attributes
    ----------
    ranges : ndarray of float32, shape (number,)
        Metres.
    valid : ndarray of bool, shape (number,)
    velocity : ndarray of float32, shape (2, number), or None
        World velocity of what was hit, m/s.
    hit_ids : ndarray of int32, shape (number,)
        Object ids, -1 none.
    """

    frame_id: str
    angle_min: float
    angle_max: float
    angle_increment: float
    scan_time: float
    range_min: float
    range_max: float
    ranges: NDArray[np.float32]
    valid: NDArray[np.bool_]
    velocity: NDArray[np.float32] | None
    hit_ids: NDArray[np.int32]


@dataclass(frozen=True)
class ObjectState:
    """A robot or obstacle: ``state`` x, y, theta(, steer) in m and rad; ``twist`` in the world frame.

    ``vertices`` is float64 (n, 2) in the world frame, empty for a circle of radius ``radius``
    round ``center``.
    """

    id: int
    name: str
    role: str
    kinematics: str
    shape: str
    state: tuple[float, ...]
    velocity: tuple[float, ...]
    twist: tuple[float, ...]
    goal: tuple[float, ...]
    is_static: bool
    arrive: bool
    collision: bool
    stop: bool
    scans: tuple[LaserScan, ...]
    vertices: NDArray[np.float64]
    radius: float
    center: tuple[float, ...]


@dataclass(frozen=True)
class WorldState:
    """Complete state of one world; ``time`` in seconds, ``bounds`` min x, min y, max x, max y."""

    name: str
    step: int
    time: float
    stamp: float
    step_time: float
    status: str
    objects: tuple[ObjectState, ...]
    episode_seed: int
    episode: int
    bounds: tuple[float, ...]
