"""Gymnasium's vector wrappers on our environment, unmodified."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import planarium
import pytest
from gymnasium.utils.performance import benchmark_vector_step
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers
from scenes import ARENA, ARENA_TASK, actions_at

N = 6


def make(mode: AutoresetMode = AutoresetMode.NEXT_STEP, **more: Any) -> planarium.VectorEnv:
    return planarium.make_vec(ARENA, N, task=ARENA_TASK, autoreset_mode=mode, seed=1, **more)


def run(envs: Any, steps: int = 120) -> list[Any]:
    """Observations, rewards and infos of some steps."""
    results: list[Any] = []
    envs.reset(seed=2)
    for step in range(steps):
        observations, rewards, terminated, truncated, infos = envs.step(actions_at(step, N))
        results.append((observations, rewards, terminated | truncated, infos))
    return results


def test_normalize_observation() -> None:
    envs = wrappers.NormalizeObservation(make())
    seen = np.concatenate([result[0] for result in run(envs)])
    assert np.isfinite(seen).all()
    assert np.abs(seen).mean() < 3
    envs.close()


@pytest.mark.parametrize(
    "mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name
)
def test_normalize_reward(mode: AutoresetMode) -> None:
    envs = wrappers.NormalizeReward(make(mode))
    rewards = np.concatenate([result[1] for result in run(envs)])
    assert np.isfinite(rewards).all()
    envs.close()


def test_rescale_action() -> None:
    plain, rescaled = make(), wrappers.RescaleAction(make(), *np.array([[0, 0], [2, 2]], np.float32))
    for env in (plain, rescaled):
        env.reset(seed=2)
    for step in range(30):
        actions = actions_at(step, N)
        expected = plain.step(actions)[0]
        shifted = rescaled.step((actions + 1.0).astype(np.float32))[0]
        assert np.allclose(shifted, expected, atol=1e-4)
    plain.close()
    rescaled.close()


def test_clip_and_flatten_wrappers() -> None:
    envs: Any = wrappers.ClipReward(make(), -1.0, 1.0)
    envs = wrappers.ClipAction(envs)
    envs = wrappers.FlattenObservation(envs)
    envs.reset()
    observations, rewards, *_ = envs.step(np.full((N, 2), 3.0, np.float32))
    assert observations.dtype == np.float32
    assert np.abs(rewards).max() <= 1.0
    envs.close()


@pytest.mark.parametrize(
    "mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name
)
def test_dict_info_to_list(mode: AutoresetMode) -> None:
    envs = wrappers.DictInfoToList(make(mode))
    for _, _, done, infos in run(envs):
        assert len(infos) == N
        for i, info in enumerate(infos):
            ended = info
            if mode is AutoresetMode.SAME_STEP:
                assert ("final_info" in info) == done[i]
                ended = info.get("final_info", {})
            assert ("planarium_episode" in ended) == done[i]
            if done[i]:
                assert ended["planarium_episode"]["length"] > 0
    envs.close()


def test_record_episode_statistics_outside_other_wrappers() -> None:
    envs = wrappers.RecordEpisodeStatistics(wrappers.NormalizeObservation(make()))
    done = sum(int(result[2].sum()) for result in run(envs))
    assert envs.episode_count == done > 0
    envs.close()


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
def test_record_video(tmp_path: Path, mode: AutoresetMode) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # moviepy's own, and the wrapper's word on SAME_STEP
        envs = wrappers.RecordVideo(
            make(mode, render_mode="rgb_array"),
            str(tmp_path / "all"),
            step_trigger=lambda s: s == 0,
            video_length=4,
        )
        envs.reset(seed=1)
        for _ in range(5):
            envs.step(np.array([[-1, 0]] * N, np.float32))  # stand still: nothing ends
        envs.close()
    assert [path.suffix for path in (tmp_path / "all").iterdir()] == [".mp4"]


def test_array_conversion_round_trip() -> None:
    pytest.importorskip("array_api_compat")
    from gymnasium.wrappers.vector import ArrayConversion

    envs = ArrayConversion(make(), env_xp=np, target_xp=np)
    envs.reset()
    envs.step(actions_at(0, N))
    envs.close()


def test_the_official_throughput_probe_runs() -> None:
    envs = make()
    assert benchmark_vector_step(envs, target_duration=1, seed=1) > 0
    envs.close()


def test_it_is_a_vector_env_that_names_its_mode() -> None:
    for mode in AutoresetMode:
        envs = make(mode)
        assert isinstance(envs, gymnasium.vector.VectorEnv)
        assert envs.metadata["autoreset_mode"] is mode
        assert envs.autoreset_mode is mode
        assert mode.name in repr(envs)
        assert envs.unwrapped is envs
        envs.close()
    for given in ("NextStep", "NEXT_STEP", "next_step"):
        with make(given) as envs:  # type: ignore[arg-type]
            assert envs.autoreset_mode is AutoresetMode.NEXT_STEP
    with pytest.raises(
        planarium.InvalidArgumentError, match="expected one of NEXT_STEP, SAME_STEP, DISABLED"
    ):
        make("later")  # type: ignore[arg-type]


def test_class_metadata_is_not_touched_by_instances() -> None:
    with make(AutoresetMode.DISABLED) as envs:
        envs.metadata["mine"] = 1
    assert "mine" not in planarium.VectorEnv.metadata
    assert planarium.VectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


def test_render_gives_a_frame_for_every_world() -> None:
    with make(render_mode="rgb_array") as envs:
        envs.reset()
        frames = envs.render()
        assert frames is not None
        assert len(frames) == N
        assert {frame.shape for frame in frames} == {(640, 640, 3)}
        assert not np.array_equal(frames[0], frames[1])
        small = envs.render_slot(2, width=100, height=60, lidar=False)
        assert small.shape == (60, 100, 3)
        assert len(envs.call("render")) == N


def test_attributes_by_name() -> None:
    with make() as envs:
        assert envs.get_attr("render_mode") == (None,) * N
        assert envs.call("num_envs") == (N,) * N
        assert envs.get_attr("np_random_seed") == tuple(range(1, N + 1))
        with pytest.raises(AttributeError):
            envs.get_attr("nonsense")
        with pytest.raises(planarium.UnsupportedError, match="worlds live in the server"):
            envs.call("reset")
        with pytest.raises(planarium.UnsupportedError):
            envs.set_attr("gravity", 1)
