"""`make` and `make_vec`, named as in Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planarium._scenario import Scenario, ScenarioItem

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from planarium._env import Env
    from planarium._vector_env import VectorEnv


def make_vec(
    scenario: Scenario,
    num_envs: int | None = None,
    *,
    task: ScenarioItem | None = None,
    autoreset_mode: AutoresetMode | str = "NEXT_STEP",
    seed: int | None = None,
    address: str | None = None,
    copy: bool = True,
    render_mode: str | None = None,
    max_episode_steps: int | None = None,
    threads: int = 0,
    reward_terms: bool = False,
) -> VectorEnv:
    """N worlds as a Gymnasium vector environment; see `planarium.VectorEnv` for everything.

    Examples
    --------
    >>> envs = planarium.make_vec("world.yaml", 64, autoreset_mode="SAME_STEP")  # doctest: +SKIP
    >>> envs = planarium.make_vec([("a.yaml", 32), ("b.yaml", 32)])  # doctest: +SKIP
    """
    from planarium._vector_env import VectorEnv

    return VectorEnv(
        scenario,
        num_envs,
        task=task,
        autoreset_mode=autoreset_mode,
        seed=seed,
        address=address,
        copy=copy,
        render_mode=render_mode,
        max_episode_steps=max_episode_steps,
        threads=threads,
        reward_terms=reward_terms,
    )


def make(
    scenario: Scenario,
    *,
    task: ScenarioItem | None = None,
    seed: int | None = None,
    address: str | None = None,
    render_mode: str | None = None,
    max_episode_steps: int | None = None,
    threads: int = 1,
    reward_terms: bool = False,
) -> Env:
    """One world as a Gymnasium environment; see `planarium.Env` for everything."""
    from planarium._env import Env

    return Env(
        scenario,
        task=task,
        seed=seed,
        address=address,
        render_mode=render_mode,
        max_episode_steps=max_episode_steps,
        threads=threads,
        reward_terms=reward_terms,
    )
