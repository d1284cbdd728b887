"""N single worlds under Gymnasium's SyncVectorEnv are our vector environment, to the bit and to the key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import planarium
import pytest
from equality import differences
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from scenes import ARENA, ARENA_TASK, actions_at

STEPS = 2000
MODES = list(AutoresetMode)


def single(address: str) -> Callable[[], planarium.Env]:
    return lambda: planarium.make(ARENA, task=ARENA_TASK, address=address, reward_terms=True)


def reset_mask(step: int, done: np.ndarray[Any, Any], disabled: bool) -> np.ndarray[Any, Any] | None:
    """Slots to reset before a step: under DISABLED the done ones, and now and then some others."""
    mask = done.copy() if disabled else np.zeros_like(done)
    if step % 23 == 22:
        mask |= (np.arange(len(done)) + step) % 3 == 0
    return mask if mask.any() else None


def compare(ours: Any, theirs: Any, steps: int, disabled: bool) -> int:
    """Steps both alike and returns the number of episodes that ended."""
    assert differences(ours.reset(seed=7), theirs.reset(seed=7)) == []
    n = ours.num_envs
    done = np.zeros(n, np.bool_)
    episodes = 0
    for step in range(steps):
        mask = reset_mask(step, done, disabled)
        if mask is not None:
            pair = [env.reset(options={"reset_mask": mask.copy()}) for env in (ours, theirs)]
            assert differences(pair[0], pair[1]) == [], f"masked reset before step {step}"
        actions = actions_at(step, n)
        mine, reference = ours.step(actions), theirs.step(actions)
        assert differences(mine, reference) == [], f"step {step}"
        done = mine[2] | mine[3]
        episodes += int(done.sum())
    return episodes


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("num_envs", [1, 4, 33])
def test_equals_sync_vector_env(address: str, num_envs: int, mode: AutoresetMode) -> None:
    theirs = SyncVectorEnv([single(address)] * num_envs, autoreset_mode=mode)
    ours = planarium.make_vec(
        ARENA, num_envs, task=ARENA_TASK, autoreset_mode=mode, address=address, reward_terms=True
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert ours.metadata == theirs.metadata
    episodes = compare(ours, theirs, STEPS, mode is AutoresetMode.DISABLED)
    assert ours.np_random_seed == theirs.np_random_seed
    assert episodes > 20 * num_envs
    ours.close()
    theirs.close()


def test_seed_lists_with_gaps_mean_the_same() -> None:
    theirs = SyncVectorEnv([lambda: planarium.make(ARENA, task=ARENA_TASK)] * 4)
    ours = planarium.make_vec(ARENA, 4, task=ARENA_TASK)
    plans: list[tuple[list[int | None], list[bool] | None]] = [
        ([5, 6, 7, 8], None),
        ([None, 60, None, 80], None),
        ([1, None, 3, None], [True, True, False, False]),
        ([None, 2, 3, None], [True, False, True, True]),
    ]
    for seeds, mask in plans:
        options = None if mask is None else {"reset_mask": np.array(mask)}
        copies = [None if options is None else dict(options) for _ in range(2)]
        pair = [
            env.reset(seed=list(seeds), options=given)  # type: ignore[arg-type]
            for env, given in zip((ours, theirs), copies, strict=True)
        ]
        assert differences(pair[0], pair[1]) == []
        assert ours.np_random_seed == theirs.np_random_seed
        for step in range(30):
            actions = actions_at(step, 4)
            assert differences(ours.step(actions), theirs.step(actions)) == []
    ours.close()
    theirs.close()


def test_seed_lists_on_a_new_environment() -> None:
    with planarium.make_vec(ARENA, 3, task=ARENA_TASK, seed=100) as envs:
        rows = envs.reset(seed=[None, 7, None])[0]
        assert envs.np_random_seed == (100, 7, 102)
    with planarium.make_vec(ARENA, 3, task=ARENA_TASK) as plain:
        assert np.array_equal(rows[[0, 2]], plain.reset(seed=100)[0][[0, 2]])
        assert np.array_equal(rows[1], plain.reset(seed=6)[0][1])
