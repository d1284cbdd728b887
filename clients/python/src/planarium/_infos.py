"""Gymnasium infos of the rows of a batch: dictionaries of arrays with masks, or of one world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planarium._types import BatchSpec, EpisodeEnds, Rows

# Never "episode": Gymnasium's RecordEpisodeStatistics claims that key.
EPISODE_KEY = "planarium_episode"
FAULT_KEY = "fault"
REWARD_TERMS_KEY = "reward_terms"


def _episode_columns(ends: EpisodeEnds) -> dict[str, NDArray[Any]]:
    """Columns (k,) of the first agent, in the dtypes of Gymnasium's info convention."""
    return {
        "return": ends.returns[:, 0],
        "length": ends.lengths.astype(np.int64),
        "success": ends.success,
        "reason": ends.reasons.astype(np.int64),
        "seed": ends.seeds,
        "episode": ends.episodes.astype(np.int64),
        "scenario": ends.scenarios.astype(np.int64),
        "sim_seconds": ends.sim_seconds,
        "path_length": ends.path_lengths[:, 0],
        "collided": ends.collided.astype(np.int64),
    }


def _put(infos: dict[str, Any], key: str, value: Any, mask: NDArray[np.bool_]) -> None:
    infos[key] = value
    infos[f"_{key}"] = mask.copy()


def _spread(n: int, slots: NDArray[np.int32], values: NDArray[Any]) -> NDArray[Any]:
    """Column (N,) with zeros where there is no value."""
    column = np.zeros(n, values.dtype)
    column[slots] = values
    return column


def _mask_of(n: int, slots: Any) -> NDArray[np.bool_]:
    mask = np.zeros(n, np.bool_)
    mask[slots] = True
    return mask


def _add_episodes(infos: dict[str, Any], n: int, ends: EpisodeEnds) -> None:
    mask = _mask_of(n, ends.slots)
    episode: dict[str, Any] = {}
    for name, values in _episode_columns(ends).items():
        _put(episode, name, _spread(n, ends.slots, values), mask)
    _put(infos, EPISODE_KEY, episode, mask)


def _add_faults(infos: dict[str, Any], n: int, faults: dict[int, str]) -> None:
    texts = np.full(n, None, dtype=object)
    for slot, text in faults.items():
        texts[slot] = text
    _put(infos, FAULT_KEY, texts, _mask_of(n, list(faults)))


def _add_reward_terms(
    infos: dict[str, Any], names: tuple[str, ...], rows: Rows, mask: NDArray[np.bool_]
) -> None:
    if rows.reward_terms is None or not mask.any():
        return
    values = np.where(mask[:, None], rows.reward_terms[:, 0], 0.0).astype(np.float64)
    terms: dict[str, Any] = {}
    for k, name in enumerate(names):
        _put(terms, name, values[:, k].copy(), mask)
    _put(infos, REWARD_TERMS_KEY, terms, mask)


def step_infos(spec: BatchSpec, rows: Rows, same_step: bool) -> dict[str, Any]:
    """Infos of one step of all slots, as SyncVectorEnv would collect them from single worlds.

    Parameters
    ----------
    spec : BatchSpec
    rows : Rows
        Answer to a step.
    same_step : bool
        The batch resets in the step in which an episode ends: what belongs to the old episode goes
        into ``final_obs`` and ``final_info``.
    """
    n = spec.num_envs
    infos: dict[str, Any] = {}
    done = (rows.terminated | rows.truncated)[:, 0]
    ended = infos
    if same_step and done.any():
        ended = {}
        _add_final_observations(infos, n, rows)
        _put(infos, "final_info", ended, done)
    if rows.ends is not None:
        _add_episodes(ended, n, rows.ends)
    if rows.faults:
        _add_faults(ended, n, rows.faults)
    if same_step:
        _add_reward_terms(ended, spec.reward_terms, rows, done)
        _add_reward_terms(infos, spec.reward_terms, rows, ~done)
    else:
        _add_reward_terms(infos, spec.reward_terms, rows, ~rows.first)
    return infos


def _add_final_observations(infos: dict[str, Any], n: int, rows: Rows) -> None:
    final = np.full(n, None, dtype=object)
    ends = rows.ends
    slots: list[int] = []
    if ends is not None and ends.final_observations is not None:
        slots = ends.slots.tolist()
        for k, slot in enumerate(slots):
            final[slot] = ends.final_observations[k, 0].copy()
    _put(infos, "final_obs", final, _mask_of(n, slots))


def single_info(spec: BatchSpec, rows: Rows) -> dict[str, Any]:
    """Info of one step of a batch of one world."""
    info: dict[str, Any] = {}
    if rows.ends is not None:
        episode = {name: values[0].item() for name, values in _episode_columns(rows.ends).items()}
        # A Python int would become an int64 in a vector env, which is too narrow.
        episode["seed"] = rows.ends.seeds[0]
        info[EPISODE_KEY] = episode
    if rows.faults:
        info[FAULT_KEY] = rows.faults[0]
    if rows.reward_terms is not None:
        values = rows.reward_terms[0, 0].tolist()
        info[REWARD_TERMS_KEY] = dict(zip(spec.reward_terms, values, strict=True))
    return info
