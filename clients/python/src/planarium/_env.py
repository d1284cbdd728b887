"""One world as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from planarium import _gym_errors, _seeds
from planarium._batch import Batch, checked_actions
from planarium._errors import InvalidArgumentError
from planarium._infos import single_info
from planarium._open import open_batch
from planarium._scenario import Scenario, ScenarioItem
from planarium._types import Autoreset, EpisodeEnds, Rows, WorldState
from planarium._vector_env import RENDER_MODES, checked_render_mode, metadata_of, single_spaces


class Env(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One world of a Planarium server. It never resets by itself.

    Parameters
    ----------
    scenario, task, seed, address, render_mode, max_episode_steps, reward_terms
        As for `planarium.VectorEnv`.
    threads : int
        Worker threads; one world needs no more than one.

    Attributes
    ----------
    batch : Batch
        The rows underneath.
    last_episode_end : EpisodeEnds
        The episode that ended in the last call, 0 or 1 entries.
    timings : dict
        ``round_trip_s`` and ``simulate_s`` of the last call.

    Notes
    -----
    Observations are float32 (W,), rewards and flags Python's own. The step that ends an episode reports it
    under ``info["planarium_episode"]`` with the columns of `planarium.VectorEnv`.

    Raises
    ------
    PlanariumError
        As `planarium.open_batch`.

    Examples
    --------
    >>> env = planarium.make("nav", render_mode="rgb_array")  # doctest: +SKIP
    >>> observation, info = env.reset(seed=1)  # doctest: +SKIP
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 10}

    def __init__(
        self,
        scenario: Scenario,
        *,
        task: ScenarioItem | None = None,
        seed: int | None = None,
        address: str | None = None,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        threads: int = 1,
        reward_terms: bool = False,
    ) -> None:
        super().__init__()
        self.render_mode = checked_render_mode(render_mode)
        self._want_reward_terms = reward_terms
        self.batch: Batch = open_batch(
            scenario,
            1,
            task=task,
            autoreset=Autoreset.DISABLED,
            seed=seed,
            address=address,
            max_episode_steps=max_episode_steps,
            threads=threads,
        )
        spec = self.batch.spec
        self.observation_space, self.action_space = single_spaces(spec)
        self.metadata = metadata_of(spec)
        self._action_shape = spec.action.shape
        self._seed = spec.seed
        self._was_reset = False
        self._ends: EpisodeEnds | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts an episode.

        Parameters
        ----------
        seed : int, optional
            Starts the sequence of episodes of this seed. None: the next episode.
        options : dict, optional
            ``"episode_exact"``: the seed is that of one episode (``info["planarium_episode"]["seed"]``),
            which is played again.

        Returns
        -------
        observation : ndarray of float32, shape (W,)
        info : dict
        """
        self._require_open()
        exact = False
        if options is not None:
            _seeds.check_option_names(options, ("episode_exact",))
            exact = bool(options.get("episode_exact", False))
        number = None if seed is None else _seeds.read_seed(seed)
        super().reset(seed=number)
        rows = self.batch.reset(seed=number, episode_exact=exact)
        if number is not None and not exact:
            self._seed = number
        self._was_reset = True
        self._ends = rows.ends
        return rows.observations[0, 0], {}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One step.

        Parameters
        ----------
        action : array_like of float32, shape (action width,)
            In [-1, 1].

        Raises
        ------
        InvalidActionError
            Wrong shape, dtype or values; nothing was stepped.
        ResetNeededError
            Before the first reset.
        FailedPreconditionError
            The episode is over; call `reset`.
        """
        self._require_stepping()
        try:
            checked = checked_actions(action, self._action_shape)[None, None]
            return self._result_of(self.batch.step(checked, reward_terms=self._want_reward_terms))
        except InvalidArgumentError as error:
            raise _gym_errors.InvalidActionError(str(error)) from None

    def step_policy(self, policy: str) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One step in which a built-in behavior (``"dash"``) steers; otherwise as `step`."""
        self._require_stepping()
        rows = self.batch.step(policy=policy, reward_terms=self._want_reward_terms)
        return self._result_of(rows)

    def _result_of(self, rows: Rows) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        self._ends = rows.ends
        return (
            rows.observations[0, 0],
            float(rows.rewards[0, 0]),
            bool(rows.terminated[0, 0]),
            bool(rows.truncated[0, 0]),
            single_info(self.batch.spec, rows),
        )

    @property
    def last_episode_end(self) -> EpisodeEnds:
        """The episode that ended in the last call, 0 or 1 entries."""
        return _seeds.no_ends(self.batch.spec) if self._ends is None else self._ends

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of the last call: ``round_trip_s``, ``simulate_s``."""
        return self.batch.timings

    @property
    def np_random_seed(self) -> int:
        """Seed of the sequence of episodes."""
        return self._seed

    def world_state(self) -> WorldState:
        """Complete state of the world."""
        self._require_open()
        return self.batch.world_state(0)

    def render(self) -> NDArray[np.uint8] | None:
        """Picture of the world, uint8 (640, 640, 3); None without a render mode."""
        self._require_open()
        if self.render_mode is None:
            logger.warn('render() without a render mode; give render_mode="rgb_array"')
            return None
        return self.batch.render(0)

    def _require_open(self) -> None:
        if self.batch.closed:
            raise _gym_errors.ClosedEnvironmentError(f"{self!r} was closed")

    def _require_stepping(self) -> None:
        self._require_open()
        if not self._was_reset:
            raise _gym_errors.ResetNeededError("step before the first reset; call reset")

    def close(self) -> None:
        """Frees the world; a second time does nothing."""
        self.batch.close()
