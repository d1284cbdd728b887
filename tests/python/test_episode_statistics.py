"""Gymnasium's RecordEpisodeStatistics and the server's own rows tell of the same episodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import planarium
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from planarium import EndReason
from scenes import ARENA, ARENA_TASK, actions_at

EPISODES = 10_000
WORLDS = 128


def recorded(infos: dict[str, Any], done: np.ndarray[Any, Any]) -> list[tuple[int, float, int]]:
    """Slot, return and length of the episodes that the wrapper has recorded in this step."""
    if not done.any():
        return []
    statistics = infos["episode"]
    slots = np.flatnonzero(infos["_episode"])
    return [(int(i), float(statistics["r"][i]), int(statistics["l"][i])) for i in slots]


def infos_of_episodes(infos: dict[str, Any], mode: AutoresetMode) -> dict[str, Any]:
    """Where a mode's infos tell of ended episodes."""
    if mode is AutoresetMode.SAME_STEP:
        infos = infos.get("final_info", {})
    found: dict[str, Any] = infos.get("planarium_episode", {})
    return found


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
def test_agrees_with_the_servers_rows(mode: AutoresetMode) -> None:
    random = np.random.default_rng(1)
    envs = planarium.make_vec(ARENA, WORLDS, task=ARENA_TASK, autoreset_mode=mode, seed=3)
    wrapped = RecordEpisodeStatistics(envs)
    wrapped.reset()
    done = np.zeros(WORLDS, np.bool_)
    episodes = interrupted = step = 0
    reasons: set[int] = set()
    while episodes < EPISODES:
        mask = random.random(WORLDS) < 0.02
        if mode is AutoresetMode.DISABLED:
            mask |= done
        if mask.any():
            # The wrapper takes the mask out of the dictionary once our environment has seen it.
            wrapped.reset(options={"reset_mask": mask})
            ends = envs.last_episode_end
            assert (ends.reasons == EndReason.INTERRUPTED).all()
            assert not (mask & done)[ends.slots].any()
            interrupted += len(ends)
        *_, terminated, truncated, infos = wrapped.step(actions_at(step, WORLDS))
        done, step = terminated | truncated, step + 1
        ends = envs.last_episode_end
        mine = list(zip(ends.slots.tolist(), ends.returns[:, 0].tolist(), ends.lengths.tolist(), strict=True))
        theirs = recorded(infos, done)
        assert [(slot, length) for slot, _, length in mine] == [(slot, length) for slot, _, length in theirs]
        assert np.allclose([m[1] for m in mine], [t[1] for t in theirs], rtol=0, atol=1e-4)
        if mine:
            column = infos_of_episodes(infos, mode)
            assert np.array_equal(column["length"][ends.slots], ends.lengths)
            assert np.array_equal(column["seed"][ends.slots], ends.seeds)
        episodes += len(ends)
        reasons.update(ends.reasons.tolist())
    assert wrapped.episode_count == episodes
    assert interrupted > 100
    assert {EndReason.SUCCESS, EndReason.COLLISION, EndReason.TIME_LIMIT} <= reasons
    envs.close()


def test_lengths_and_episode_numbers_are_without_gaps() -> None:
    with planarium.make_vec(ARENA, 8, task=ARENA_TASK, seed=9) as envs:
        envs.reset()
        started = np.zeros(8, np.int64)
        expected = np.zeros(8, np.uint64)
        for step in range(300):
            envs.step(actions_at(step, 8))
            ends = envs.last_episode_end
            assert np.array_equal(ends.episodes, expected[ends.slots])
            # Under NEXT_STEP the step that resets belongs to no episode.
            assert np.array_equal(ends.lengths, step + 1 - started[ends.slots])
            started[ends.slots] = step + 2
            expected[ends.slots] += np.uint64(1)
