"""Gymnasium's view of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from gymnasium import logger, spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymVectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from planarium import _gym_errors, _seeds
from planarium._batch import Batch, checked_actions
from planarium._errors import InvalidArgumentError, UnsupportedError
from planarium._infos import step_infos
from planarium._open import open_batch
from planarium._scenario import Scenario, ScenarioItem
from planarium._types import Autoreset, BatchSpec, EpisodeEnds, Rows, WorldState

Space: TypeAlias = "spaces.Box[np.float32]"
StepResult = tuple[
    NDArray[np.float32],
    NDArray[np.float64],
    NDArray[np.bool_],
    NDArray[np.bool_],
    dict[str, Any],
]

RENDER_MODES = ["rgb_array"]


def autoreset_mode_of(mode: AutoresetMode | str) -> AutoresetMode:
    """The enum for itself, its value (``"NextStep"``) or its name (``"NEXT_STEP"``).

    Raises
    ------
    InvalidArgumentError
        Neither.
    """
    if isinstance(mode, AutoresetMode):
        return mode
    for candidate in AutoresetMode:
        if str(mode).replace("_", "").lower() == candidate.value.lower():
            return candidate
    names = ", ".join(candidate.name for candidate in AutoresetMode)
    raise InvalidArgumentError(f"autoreset_mode: got {mode!r}, expected one of {names}")


def checked_render_mode(mode: str | None) -> str | None:
    """The render mode, when it is one.

    Raises
    ------
    InvalidArgumentError
        Neither None nor ``"rgb_array"``.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise InvalidArgumentError(f"render_mode: got {mode!r}, expected None or one of {RENDER_MODES}")
    return mode


def single_spaces(spec: BatchSpec) -> tuple[Space, Space]:
    """Observation and action space of one world.

    Raises
    ------
    UnsupportedError
        More than one agent.
    """
    if spec.num_agents != 1:
        raise UnsupportedError(
            f"the batch has {spec.num_agents} agents; Gymnasium's interface is for one. Use open_batch"
        )
    tensors = (spec.observation, spec.action)
    observation, action = (spaces.Box(t.low, t.high, shape=t.shape, dtype=np.float32) for t in tensors)
    return observation, action


def metadata_of(spec: BatchSpec) -> dict[str, Any]:
    """Render metadata: videos run in real time."""
    return {"render_modes": list(RENDER_MODES), "render_fps": max(1, round(1.0 / spec.step_time))}


class VectorEnv(GymVectorEnv[NDArray[np.float32], NDArray[np.float32], NDArray[Any]]):
    """N worlds stepped together by a Planarium server, as a Gymnasium vector environment.

    Parameters
    ----------
    scenario : path, str, or list
        World file, its text, the name of a packaged world (``"nav"``), or a list of these or of
        pairs (path, number of slots).
    num_envs : int, optional
        N. None: the sum of the numbers in `scenario`, else 1.
    task : path or str, optional
        Task file, its text, or a preset's name. None: ``NAME.task.yaml`` beside the scenario, else the
        default navigation task.
    autoreset_mode : gymnasium.vector.AutoresetMode or str
    seed : int, optional
        Slot i gets seed + i. None: drawn by the server.
    address : str, optional
        Of a server; None: the local server of this process.
    copy : bool
        True: every call returns an observation array of its own. False: two arrays take turns, so what a
        call returned is overwritten by the next but one; no memory is allocated per step.
    render_mode : {None, "rgb_array"}
    max_episode_steps : int, optional
        None: the task's own limit.
    threads : int
        Worker threads, 0: the server's default.
    reward_terms : bool
        Report the weighted reward terms under ``infos["reward_terms"]``.

    Attributes
    ----------
    autoreset_mode : gymnasium.vector.AutoresetMode
    batch : Batch
        The rows underneath.
    last_episode_end : EpisodeEnds
        Episodes that ended in the last call, dense: k entries, also those that a reset cut short.
    timings : dict
        ``round_trip_s`` and ``simulate_s`` of the last call; never part of the infos.

    Notes
    -----
    Observations are float32 (N, W), rewards float64 (N,), flags bool (N,), actions float32 (N, action
    width) in [-1, 1]. Episodes that end are reported under ``infos["planarium_episode"]`` (under
    SAME_STEP in ``infos["final_info"]``): return, length, success, reason (`EndReason`), seed, episode,
    scenario, sim_seconds, path_length, collided.

    Raises
    ------
    PlanariumError
        As `planarium.open_batch`.

    Examples
    --------
    >>> envs = planarium.make_vec("nav", 1024)  # doctest: +SKIP
    >>> observations, infos = envs.reset(seed=1)  # doctest: +SKIP
    """

    metadata: dict[str, Any] = {
        "render_modes": RENDER_MODES,
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        scenario: Scenario,
        num_envs: int | None = None,
        *,
        task: ScenarioItem | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        seed: int | None = None,
        address: str | None = None,
        copy: bool = True,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        threads: int = 0,
        reward_terms: bool = False,
    ) -> None:
        super().__init__()
        self.autoreset_mode = autoreset_mode_of(autoreset_mode)
        self.render_mode = checked_render_mode(render_mode)
        self._want_reward_terms = reward_terms
        self.batch: Batch = open_batch(
            scenario,
            num_envs,
            task=task,
            autoreset=Autoreset[self.autoreset_mode.name],
            seed=seed,
            address=address,
            copy=copy,
            max_episode_steps=max_episode_steps,
            threads=threads,
        )
        spec = self.batch.spec
        self.num_envs = spec.num_envs
        self.single_observation_space, self.single_action_space = single_spaces(spec)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = metadata_of(spec) | {"autoreset_mode": self.autoreset_mode}
        self._action_shape = (self.num_envs, *spec.action.shape)
        self._seeds = [spec.seed + i for i in range(self.num_envs)]
        self._was_reset = False
        self._waiting = False
        self._ends: EpisodeEnds | None = None

    # --- reset

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts new episodes.

        Parameters
        ----------
        seed : int or sequence of int or None, optional
            An int s gives slot i the seed s + i; a sequence one to each slot, where None goes on with
            the slot's next episode, as no seed does for all.
        options : dict, optional
            ``"reset_mask"``: ndarray of bool (N,), the slots to reset, at least one; the others keep their
            rows. ``"episode_exact"``: the seeds are episode seeds of `EpisodeEnds.seeds`. Never changed.

        Returns
        -------
        observations : ndarray of float32, shape (N, W)
            Of all slots.
        infos : dict

        Raises
        ------
        TypeError, ValueError
            Mask, seeds or options of the wrong kind.
        """
        self._require_idle()
        mask, exact = _seeds.read_options(options, self.num_envs)
        seeds = _seeds.read_seeds(seed, self.num_envs)
        first = next((s for s in seeds if s is not None), None) if seeds is not None else None
        super().reset(seed=first)
        replies = [
            self.batch.reset(slot_seeds=plan.slot_seeds, mask=plan.mask, episode_exact=exact)
            for plan in _seeds.plan_reset(seeds, mask, self._was_reset)
        ]
        self._was_reset = True
        if not exact:
            self._seeds = _seeds.updated(self._seeds, seeds, mask)
        self._ends = _seeds.joined_ends([rows.ends for rows in replies])
        return self._observations_of(replies[-1]), {}

    # --- step

    def step(self, actions: Any) -> StepResult:
        """One step of every slot.

        Parameters
        ----------
        actions : array_like of float32, shape (N, action width)
            In [-1, 1]. Rows that reset in this step (NEXT_STEP) are ignored and may hold NaN.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            See the class.

        Raises
        ------
        InvalidActionError
            Wrong shape, dtype or values; nothing was stepped.
        ResetNeededError
            Before the first reset.
        FailedPreconditionError
            Under DISABLED, a slot is done; the text names the slots.
        """
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: Any) -> None:
        """Begins a step; `step_wait` ends it. Arguments and errors as of `step`."""
        self._require_stepping()
        try:
            checked = checked_actions(actions, self._action_shape)
        except InvalidArgumentError as error:
            raise _gym_errors.InvalidActionError(str(error)) from None
        self._send(checked[:, None], "")

    def step_policy(self, policy: str) -> StepResult:
        """One step in which a built-in behavior (``"dash"``) steers; otherwise as `step`."""
        self._require_stepping()
        self._send(None, policy)
        return self.step_wait()

    def _send(self, actions: Any, policy: str) -> None:
        self.batch.send_step(actions, policy=policy, reward_terms=self._want_reward_terms)
        self._waiting = True

    def step_wait(self, timeout: float | None = None) -> StepResult:
        """The result of `step_async`.

        Parameters
        ----------
        timeout : float, optional
            Seconds.

        Raises
        ------
        NoAsyncCallError
            Nothing is awaited.
        DeadlineError
            Too late; `reset` begins anew.
        """
        self._require_open()
        if not self._waiting:
            raise _gym_errors.NoAsyncCallError("step_wait without step_async before it")
        self._waiting = False
        try:
            rows = self.batch.receive(timeout)
        except InvalidArgumentError as error:
            raise _gym_errors.InvalidActionError(str(error)) from None
        self._ends = rows.ends
        return (
            self._observations_of(rows),
            rows.rewards[:, 0].astype(np.float64),
            rows.terminated[:, 0],
            rows.truncated[:, 0],
            step_infos(self.batch.spec, rows, self.autoreset_mode is AutoresetMode.SAME_STEP),
        )

    @staticmethod
    def _observations_of(rows: Rows) -> NDArray[np.float32]:
        return rows.observations[:, 0]

    # --- inspection

    @property
    def last_episode_end(self) -> EpisodeEnds:
        """Episodes that ended in the last call, k >= 0 entries."""
        if self._ends is None:
            return _seeds.no_ends(self.batch.spec)
        return self._ends

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of the last call: ``round_trip_s``, ``simulate_s``."""
        return self.batch.timings

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """Seeds of the slots."""
        return tuple(self._seeds)

    def world_state(self, slot: SupportsIndex) -> WorldState:
        """Complete state of one world."""
        self._require_open()
        return self.batch.world_state(slot.__index__())

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """One picture per world, uint8 (640, 640, 3).

        The server draws them one after another, a few milliseconds each, and 1.2 MB each are held: for
        more than about 64 worlds use `render_slot` for those you look at.
        """
        self._require_open()
        if self.render_mode is None:
            logger.warn('render() without a render mode; give render_mode="rgb_array"')
            return None
        return tuple(self.batch.render(slot) for slot in range(self.num_envs))

    def render_slot(
        self, slot: SupportsIndex, *, width: int = 0, height: int = 0, lidar: bool = True
    ) -> NDArray[np.uint8]:
        """Picture of one world, uint8 (height, width, 3); in every render mode."""
        self._require_open()
        return self.batch.render(slot.__index__(), width=width, height=height, lidar=lidar)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """One value per world of an attribute or of ``render``.

        Raises
        ------
        UnsupportedError
            Another method: worlds live in the server.
        """
        if name == "render" and not args and not kwargs:
            return self.render() or (None,) * self.num_envs
        value = getattr(self, name)
        if callable(value):
            raise UnsupportedError(f"call({name!r}): worlds live in the server; call it on the batch")
        return value if name == "np_random_seed" else (value,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """One value per world of an attribute."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Refused: worlds have no attributes on this side.

        Raises
        ------
        UnsupportedError
        """
        raise UnsupportedError(f"set_attr({name!r}): worlds live in the server and cannot be edited")

    # --- life

    def _require_open(self) -> None:
        if self.closed:
            raise _gym_errors.ClosedEnvironmentError(f"{self!r} was closed")

    def _require_idle(self) -> None:
        self._require_open()
        if self._waiting:
            raise _gym_errors.AlreadyPendingCallError("step_async is pending; call step_wait first")

    def _require_stepping(self) -> None:
        self._require_idle()
        if not self._was_reset:
            raise _gym_errors.ResetNeededError("step before the first reset; call reset")

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        name = f"{self.spec.id}, " if self.spec is not None else ""
        mode = self.autoreset_mode.name
        return f"{type(self).__name__}({name}num_envs={self.num_envs}, autoreset_mode={mode})"

    def close_extras(self, **kwargs: Any) -> None:
        """Frees the worlds; called by `close`, once."""
        self.batch.close()
