"""Options, masks, seeds, asynchronous steps, buffers: the fine print of the vector environment."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import planarium
import pytest
from gymnasium.vector import AutoresetMode
from scenes import ARENA, ARENA_TASK, FIELD, FIELD_WITH_PILLAR, actions_at

N = 5


def make(mode: str = "NEXT_STEP", **more: Any) -> planarium.VectorEnv:
    return planarium.make_vec(ARENA, N, task=ARENA_TASK, autoreset_mode=mode, **{"seed": 1, **more})


@pytest.mark.parametrize("mode", [mode.name for mode in AutoresetMode])
def test_options_are_never_changed(mode: str) -> None:
    with make(mode) as envs:
        envs.reset()
        options = {"reset_mask": np.array([True, False, True, False, False])}
        before = copy.deepcopy(options)
        envs.reset(options=options)
        assert options.keys() == before.keys()
        assert np.array_equal(options["reset_mask"], before["reset_mask"])


@pytest.mark.parametrize("mode", [mode.name for mode in AutoresetMode])
def test_a_masked_reset_leaves_the_other_rows_alone(mode: str) -> None:
    with make(mode) as envs:
        envs.reset()
        rows = envs.step(actions_at(0, N))[0]
        mask = np.array([False, True, False, True, False])
        after, infos = envs.reset(options={"reset_mask": mask})
        assert infos == {}
        assert np.array_equal(after[~mask], rows[~mask])
        assert (after[mask] != rows[mask]).any(axis=1).all()
        ends = envs.last_episode_end
        assert ends.slots.tolist() == [1, 3]
        assert (ends.reasons == planarium.EndReason.INTERRUPTED).all()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"reset_mask": [True] * N}, TypeError, "must be a numpy array"),
        ({"reset_mask": np.ones(N, np.int8)}, TypeError, "dtype bool"),
        ({"reset_mask": np.ones(N + 1, np.bool_)}, ValueError, "shape"),
        ({"reset_mask": np.zeros(N, np.bool_)}, ValueError, "at least one"),
        ({"reset_maks": 1}, ValueError, "did you mean 'reset_mask'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], error: type[Exception], text: str) -> None:
    with make() as envs:
        before = envs.reset()[0]
        with pytest.raises(error, match=text):
            envs.reset(options=options)
        # Nothing was reset: the next step goes on from the same rows.
        with make() as twin:
            assert np.array_equal(twin.reset()[0], before)
            assert np.array_equal(envs.step(actions_at(0, N))[0], twin.step(actions_at(0, N))[0])


@pytest.mark.parametrize(
    ("seed", "error"),
    [
        (-1, ValueError),
        (1 << 64, ValueError),
        (1.5, TypeError),
        ([1, 2], ValueError),
        ([1, 2, 3, 4, "x"], TypeError),
    ],
)
def test_wrong_seeds_are_refused(seed: Any, error: type[Exception]) -> None:
    with make() as envs, pytest.raises(error, match="seed"):
        envs.reset(seed=seed)


def test_seeds_say_what_is_drawn() -> None:
    with make(seed=50) as one, make(seed=None) as other:
        assert one.np_random_seed == tuple(range(50, 50 + N))
        first = one.reset()[0]
        assert np.array_equal(first, other.reset(seed=50)[0])
        assert other.np_random_seed == one.np_random_seed
        assert np.array_equal(other.reset(seed=[54, 53, 52, 51, 50])[0], first[::-1])
        second = one.reset()[0]
        assert not np.array_equal(first, second)
        other.reset(seed=50)
        assert np.array_equal(other.reset()[0], second)
        assert len({row.tobytes() for row in np.concatenate([first, second])}) == 2 * N


def test_without_a_seed_two_environments_differ() -> None:
    with make(seed=None) as one, make(seed=None) as other:
        assert one.batch.spec.seed != other.batch.spec.seed
        assert not np.array_equal(one.reset()[0], other.reset()[0])


def test_a_large_seed_is_fine() -> None:
    with make() as envs:
        envs.reset(seed=(1 << 64) - 2)
        assert envs.np_random_seed == ((1 << 64) - 2, (1 << 64) - 1, 0, 1, 2)
        envs.reset(seed=np.uint64(5))  # type: ignore[arg-type]
        assert envs.np_random_seed == (5, 6, 7, 8, 9)


def test_rewards_flags_and_observations_have_their_dtypes() -> None:
    with make() as envs:
        envs.reset()
        observations, rewards, terminated, truncated, infos = envs.step(actions_at(0, N))
        assert observations.dtype == np.float32
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
        assert rewards.shape == terminated.shape == truncated.shape == (N,)
        assert infos == {}
        assert "round_trip_s" in envs.timings
        assert envs.timings["round_trip_s"] > envs.timings["simulate_s"] > 0


def test_the_reset_row_of_next_step_ignores_its_action() -> None:
    with make() as envs:
        envs.reset()
        done = np.zeros(N, np.bool_)
        resets = 0
        for step in range(120):
            actions = actions_at(step, N)
            actions[done] = np.nan
            _, rewards, terminated, truncated, _ = envs.step(actions)
            assert (rewards[done] == 0).all()
            assert not (terminated | truncated)[done].any()
            resets += int(done.sum())
            done = terminated | truncated
        assert resets > 5


def test_same_step_hands_out_the_last_observation() -> None:
    with make("SAME_STEP") as envs, make("NEXT_STEP") as twin:
        envs.reset()
        twin.reset()
        for step in range(60):
            actions = actions_at(step, N)
            observations, _, terminated, truncated, infos = envs.step(actions)
            last = twin.step(actions)[0]
            done = terminated | truncated
            if done.any():
                slots = np.flatnonzero(done)
                assert np.array_equal(infos["_final_obs"], done)
                for slot in slots:
                    assert np.array_equal(infos["final_obs"][slot], last[slot])
                    assert not np.array_equal(observations[slot], last[slot])
                final = envs.last_episode_end.final_observations
                assert final is not None
                assert np.array_equal(final[:, 0], last[slots])
                return
    pytest.fail("no episode ended")


def test_observations_are_the_callers_unless_copy_is_false() -> None:
    with make() as envs:
        kept = [envs.reset()[0]] + [envs.step(actions_at(step, N))[0] for step in range(5)]
        assert len({rows.tobytes() for rows in kept}) == len(kept)
        assert not any(np.shares_memory(a, b) for i, a in enumerate(kept) for b in kept[:i])
    with make(copy=False) as envs:
        first = envs.reset()[0]
        image = first.copy()
        second = envs.step(actions_at(0, N))[0]
        assert np.array_equal(first, image)
        assert not np.shares_memory(first, second)
        assert np.shares_memory(first, envs.step(actions_at(1, N))[0])


def test_step_async_and_step_wait() -> None:
    with make() as envs, make() as twin:
        envs.reset()
        twin.reset()
        envs.step_async(actions_at(0, N))
        for call in (envs.reset, lambda: envs.step(actions_at(0, N))):
            with pytest.raises(planarium.AlreadyPendingCallError):
                call()
        assert np.array_equal(envs.step_wait(timeout=10)[0], twin.step(actions_at(0, N))[0])
        with pytest.raises(planarium.NoAsyncCallError):
            envs.step_wait()


def test_a_built_in_behavior_steers() -> None:
    with planarium.make_vec(FIELD, 3, seed=1) as envs:
        envs.reset()
        for _ in range(200):
            if envs.step_policy("dash")[2].any():
                break
        ends = envs.last_episode_end
        assert ends.success.all()
        assert ends.slots.tolist() == [0, 1, 2]
        with pytest.raises(planarium.InvalidActionError, match="dash"):
            envs.step_policy("dahs")


def test_several_scenarios_in_one_batch() -> None:
    with planarium.make_vec([(FIELD, 2), (FIELD_WITH_PILLAR, 1)], seed=1) as envs:
        assert envs.num_envs == 3
        envs.reset()
        assert [len(envs.world_state(slot).objects) for slot in range(3)] == [1, 1, 2]
    with planarium.make_vec([FIELD, FIELD_WITH_PILLAR], 4) as envs:
        envs.reset()
        assert [len(envs.world_state(slot).objects) for slot in range(4)] == [1, 1, 2, 2]
    with pytest.raises(planarium.ScenarioError, match="sum to 3"):
        planarium.make_vec([(FIELD, 2), (FIELD, 1)], 4)
    with pytest.raises(planarium.InvalidArgumentError, match="observation or action space differs"):
        planarium.make_vec([(FIELD, 1), (ARENA, 1)])


def test_max_episode_steps_replaces_the_tasks_limit() -> None:
    with planarium.make_vec(FIELD, 2, max_episode_steps=4, seed=1) as envs:
        envs.reset()
        stay = np.array([[-1, 0]] * 2, np.float32)
        truncations = [envs.step(stay)[3].tolist() for _ in range(5)]
        assert truncations == [[False] * 2] * 3 + [[True] * 2, [False] * 2]
        assert (envs.batch.spec.max_episode_steps) == 4


def test_the_state_of_a_world() -> None:
    with make() as envs:
        envs.reset()
        envs.step(actions_at(0, N))
        state = envs.world_state(3)
        assert state.step == 1
        assert state.time == pytest.approx(0.2)
        robot = state.objects[0]
        assert (robot.role, robot.kinematics) == ("robot", "diff")
        assert robot.scans[0].ranges.shape == (16,)
        with pytest.raises(planarium.InvalidArgumentError, match=r"slot: got 5, expected 0\.\.4"):
            envs.world_state(5)
