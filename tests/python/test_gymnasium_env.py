"""One world as Gymnasium sees it: `check_env`, the registry, specs, wrappers."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import planarium
import pytest
from equality import differences
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from planarium._registration import REGISTERED
from scenes import ARENA, ARENA_TASK, actions_at

IDS = sorted(REGISTERED)


def rollout(envs: Any, steps: int = 40) -> list[Any]:
    """Reset with a seed and steps of a vector environment, copied."""
    results: list[Any] = [envs.reset(seed=3)]
    for step in range(steps):
        results.append(envs.step(actions_at(step, envs.num_envs)))
    return results


@pytest.mark.parametrize("name", IDS)
def test_check_env_has_nothing_to_say(name: str) -> None:
    env = gymnasium.make(name, disable_env_checker=True).unwrapped
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(env)
    assert [str(w.message) for w in said] == []
    env.close()


def test_check_env_of_a_file_and_of_the_default_task() -> None:
    for task in (ARENA_TASK, None):
        env = planarium.make(ARENA, task=task, render_mode="rgb_array")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            check_env(env)
        # The only thing missing is what unregistered environments cannot have.
        assert [str(w.message) for w in said if "not having a spec" not in str(w.message)] == []
        env.close()


@pytest.mark.parametrize("name", IDS)
def test_the_registered_limit_is_that_of_the_world(name: str) -> None:
    env = gymnasium.make(name)
    assert env.spec is not None
    unwrapped = env.unwrapped
    assert isinstance(unwrapped, planarium.Env)
    assert env.spec.max_episode_steps == unwrapped.batch.spec.max_episode_steps
    env.close()


def test_results_are_plain_python_and_of_the_spaces_dtype() -> None:
    with planarium.make(ARENA, task=ARENA_TASK, seed=1) as env:
        observation, info = env.reset()
        assert info == {}
        assert observation in env.observation_space
        assert observation.dtype == np.float32
        assert np.isfinite(env.observation_space.low).all()  # type: ignore[attr-defined]
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert observation in env.observation_space
        assert (type(reward), type(terminated), type(truncated), type(info)) == (float, bool, bool, dict)


def test_observations_stay_within_their_space() -> None:
    with planarium.make_vec(ARENA, 16, task=ARENA_TASK, seed=5) as envs:
        envs.reset()
        for step in range(200):
            observations = envs.step(actions_at(step, 16))[0]
            assert observations in envs.observation_space


def test_a_seed_at_construction_is_a_seed_at_reset() -> None:
    with (
        planarium.make(ARENA, task=ARENA_TASK, seed=11) as one,
        planarium.make(ARENA, task=ARENA_TASK) as other,
    ):
        assert np.array_equal(one.reset()[0], other.reset(seed=11)[0])
        assert one.np_random_seed == other.np_random_seed == 11
        assert np.array_equal(one.reset()[0], other.reset()[0])


def test_an_episode_seed_replays_that_very_episode() -> None:
    def episode(env: planarium.Env, start: Any) -> tuple[list[Any], dict[str, Any]]:
        steps = [start]
        for step in range(1000):
            steps.append(env.step(actions_at(step, 1)[0])[:4])
            if steps[-1][2] or steps[-1][3]:
                break
        return steps, {}

    with planarium.make(ARENA, task=ARENA_TASK, seed=2) as env:
        env.reset()
        episode(env, None)
        original, _ = episode(env, env.reset()[0])
        seed = int(env.last_episode_end.seeds[0])
        assert env.last_episode_end.episodes[0] == 1
    with planarium.make(ARENA, task=ARENA_TASK, seed=999) as env:
        replayed, _ = episode(env, env.reset(seed=seed, options={"episode_exact": True})[0])
        assert differences(tuple(replayed), tuple(original)) == []
        assert env.last_episode_end.seeds[0] == seed


def test_the_last_step_reports_the_episode() -> None:
    with planarium.make(ARENA, task=ARENA_TASK, seed=2) as env:
        env.reset()
        total, step, done = 0.0, 0, False
        while not done:
            _, reward, terminated, truncated, info = env.step(actions_at(step, 1)[0])
            total, step, done = total + reward, step + 1, terminated or truncated
            assert ("planarium_episode" in info) == done
        episode = info["planarium_episode"]
        assert episode["length"] == step
        assert episode["return"] == pytest.approx(total, abs=1e-5)
        assert episode["sim_seconds"] == pytest.approx(0.2 * step)
        assert planarium.EndReason(episode["reason"]) is not planarium.EndReason.NONE
        with pytest.raises(planarium.FailedPreconditionError, match="slots 0 are done"):
            env.step(actions_at(0, 1)[0])


def test_reward_terms_add_up_to_the_reward() -> None:
    with planarium.make(ARENA, task=ARENA_TASK, seed=4, reward_terms=True) as env:
        env.reset()
        for step in range(10):
            _, reward, terminated, truncated, info = env.step(actions_at(step, 1)[0])
            assert set(info["reward_terms"]) == set(env.batch.spec.reward_terms)
            assert sum(info["reward_terms"].values()) == pytest.approx(reward, abs=1e-6)
            if terminated or truncated:
                env.reset()


def test_make_vec_in_every_mode_gives_the_same_rollout() -> None:
    results = {}
    for mode in ("sync", "async", "vector_entry_point"):
        envs = gymnasium.make_vec("planarium/Nav-v0", num_envs=3, vectorization_mode=mode)
        results[mode] = rollout(envs)
        envs.close()
    for mode in ("sync", "async"):
        for ours, theirs in zip(results["vector_entry_point"], results[mode], strict=True):
            assert differences(ours, theirs) == []


def test_specs_survive_json_and_recreate_the_environment() -> None:
    envs = gymnasium.make_vec(
        "planarium/Nav-v0", num_envs=3, autoreset_mode="SAME_STEP", max_episode_steps=20
    )
    assert isinstance(envs, planarium.VectorEnv)
    assert "planarium/Nav-v0" in repr(envs)
    first = rollout(envs)
    assert envs.spec is not None
    spec = EnvSpec.from_json(envs.spec.to_json())
    envs.close()
    for recipe in (envs.spec, spec):
        again = gymnasium.make_vec(recipe)
        assert isinstance(again, planarium.VectorEnv)
        assert again.num_envs == 3
        assert again.autoreset_mode is gymnasium.vector.AutoresetMode.SAME_STEP
        assert again.batch.spec.max_episode_steps == 20
        for ours, theirs in zip(rollout(again), first, strict=True):
            assert differences(ours, theirs) == []
        again.close()


def test_a_single_spec_survives_json() -> None:
    env = gymnasium.make("planarium/Nav-v0", render_mode="rgb_array")
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert np.array_equal(env.reset(seed=1)[0], again.reset(seed=1)[0])
    env.close()
    again.close()


@pytest.mark.parametrize("order", ["planarium, gymnasium", "gymnasium, planarium"])
def test_ids_are_registered_in_either_import_order(order: str) -> None:
    code = f"import {order}; print('planarium/Nav-v0' in gymnasium.registry, gymnasium.__spec__.loader.__class__.__name__)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["True", "SourceFileLoader"], done.stderr


def test_an_id_may_name_the_module_to_import(address: str) -> None:
    code = (
        "import gymnasium; env = gymnasium.make('planarium:planarium/Nav-v0', "
        f"address={address!r}); env.reset(seed=1); env.close(); print('fine')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "fine", done.stderr


def test_record_video_of_one_world(tmp_path: Path) -> None:
    env = planarium.make(ARENA, task=ARENA_TASK, seed=1, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # moviepy's own
        video = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "one"), episode_trigger=lambda _: True)
        video.reset()
        for step in range(60):
            if any(video.step(actions_at(step, 1)[0])[2:4]):
                video.reset()
        video.close()  # type: ignore[no-untyped-call]
    assert list((tmp_path / "one").glob("*.mp4"))


def test_render_modes() -> None:
    with planarium.make(ARENA, render_mode="rgb_array") as env:
        env.reset(seed=0)
        frame = env.render()
        assert frame is not None
        assert frame.shape == (640, 640, 3)
        assert frame.dtype == np.uint8
        assert len({tuple(pixel) for row in frame[::8, ::8].tolist() for pixel in row}) > 4
    with planarium.make(ARENA) as env:
        env.reset()
        with pytest.warns(UserWarning, match="without a render mode"):
            assert env.render() is None
    with pytest.raises(planarium.InvalidArgumentError, match="render_mode: got 'human'"):
        planarium.make(ARENA, render_mode="human")
