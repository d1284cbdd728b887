"""Transitions are a function of (slot seed, episode, step, actions): of nothing else."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import planarium
import pytest
from numpy.typing import NDArray
from scenes import ARENA, ARENA_TASK

ROOT_SEED = 1000
# Transitions of each slot that are compared.
TRANSITIONS = 150
Story = dict[int, str]


def action_of(seed: int, episode: int, step: int) -> list[float]:
    """Action of a slot, whatever stands around it."""
    phase = 12.9898 * seed + 78.233 * episode + 37.719 * (step // 5)
    return [0.6 + 0.4 * math.sin(phase), math.sin(1.7 * phase)]


class Chronicle:
    """What happened in one slot, transition by transition."""

    def __init__(self) -> None:
        self.episode = 0
        self.step = 0
        self._hash = hashlib.sha256()
        self.count = 0

    def begin(self, observation: NDArray[np.float32]) -> None:
        self._write("first", observation)

    def transition(self, observation: NDArray[np.float32], reward: float, flags: tuple[bool, bool]) -> None:
        self.step += 1
        self._write(f"{reward.hex()} {flags}", observation)
        self.count += 1
        if any(flags):
            self.episode, self.step = self.episode + 1, 0

    def _write(self, text: str, observation: NDArray[np.float32]) -> None:
        if self.count < TRANSITIONS:
            self._hash.update(f"{self.episode} {self.step} {text}".encode())
            self._hash.update(observation.tobytes())

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


def watch(envs: planarium.VectorEnv, seeds: list[int]) -> Story:
    """Digest of the story of every seed."""
    mode = envs.autoreset_mode.name
    observations, _ = envs.reset(seed=list(seeds))
    slots = [Chronicle() for _ in seeds]
    for slot, row in zip(slots, observations, strict=True):
        slot.begin(row)
    done = np.zeros(len(seeds), np.bool_)
    while min(slot.count for slot in slots) < TRANSITIONS:
        if mode == "DISABLED" and done.any():
            observations, _ = envs.reset(options={"reset_mask": done})
            for i in np.flatnonzero(done).tolist():
                slots[i].begin(observations[i])
        pairs = zip(seeds, slots, strict=True)
        actions = np.array([action_of(seed, s.episode, s.step) for seed, s in pairs], np.float32)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for i, slot in enumerate(slots):
            if mode == "NEXT_STEP" and done[i]:
                slot.begin(observations[i])
                continue
            ended = bool(terminated[i] or truncated[i])
            last = infos["final_obs"][i] if ended and mode == "SAME_STEP" else observations[i]
            slot.transition(last, float(rewards[i]), (bool(terminated[i]), bool(truncated[i])))
            if ended and mode == "SAME_STEP":
                slot.begin(observations[i])
        done = terminated | truncated
    return {seed: slot.digest for seed, slot in zip(seeds, slots, strict=True)}


def story(seeds: list[int], address: str | None = None, **options: Any) -> Story:
    with planarium.make_vec(ARENA, len(seeds), task=ARENA_TASK, address=address, **options) as envs:
        return watch(envs, seeds)


def seeds_of(count: int) -> list[int]:
    return [ROOT_SEED + i for i in range(count)]


@pytest.fixture(scope="module")
def reference() -> Iterator[Story]:
    """Seven slots, one thread, NEXT_STEP."""
    told = story(seeds_of(7), threads=1)
    assert len(set(told.values())) == 7
    yield told


def agree(told: Story, reference: Story) -> None:
    common = told.keys() & reference.keys()
    assert common
    assert {seed: told[seed] for seed in common} == {seed: reference[seed] for seed in common}


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_do_not_matter(reference: Story, threads: int) -> None:
    agree(story(seeds_of(64), threads=threads), reference)


@pytest.mark.parametrize("count", [1, 2, 300])
def test_the_batch_size_does_not_matter(reference: Story, count: int) -> None:
    agree(story(seeds_of(count), threads=2), reference)


@pytest.mark.parametrize("mode", ["SAME_STEP", "DISABLED"])
def test_the_autoreset_mode_does_not_matter(reference: Story, mode: str) -> None:
    agree(story(seeds_of(7), autoreset_mode=mode), reference)


def test_the_order_of_slots_and_their_neighbours_do_not_matter(reference: Story) -> None:
    agree(story(seeds_of(7)[::-1]), reference)
    agree(story([7, *seeds_of(3), 99, 98]), reference)


def test_another_server_and_another_transport_do_not_matter(reference: Story) -> None:
    with planarium.serve(threads=2, listen="127.0.0.1:0", options=["--chunk-bytes", "65536"]) as other:
        # So many rows that replies come in parts.
        agree(story(seeds_of(1200), address=other.address), reference)


def test_buffers_do_not_matter(reference: Story) -> None:
    agree(story(seeds_of(7), copy=False), reference)


def test_another_seed_is_another_story(reference: Story) -> None:
    assert set(story([1, 2]).values()).isdisjoint(reference.values())


def test_replies_in_parts_hold_every_row_once() -> None:
    with (
        planarium.serve(options=["--chunk-bytes", "65536"]) as server,
        planarium.make_vec(ARENA, 3001, task=ARENA_TASK, address=server.address) as parted,
    ):
        observations = parted.reset(seed=4)[0]
    with planarium.make_vec(ARENA, 3001, task=ARENA_TASK) as whole:
        assert np.array_equal(whole.reset(seed=4)[0], observations)
