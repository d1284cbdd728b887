"""`planarium bench` and `planarium quickstart`: many worlds, a built-in policy, and numbers."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from planarium._batch import Batch
from planarium._client import Client
from planarium._open import open_batch
from planarium._server import serve
from planarium._types import Autoreset, EndReason, EpisodeEnds


class _Progress(Protocol):
    def update(self, n: int) -> object: ...


class _Lines:
    """Progress as a line for each tenth, for environments without tqdm."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._tenth = 0

    def update(self, n: int) -> None:
        self._done += n
        tenth = 10 * self._done // self._total
        if tenth > self._tenth:
            self._tenth = tenth
            print(f"{10 * tenth:3d} %  {self._done} of {self._total} env steps", file=sys.stderr, flush=True)


@contextmanager
def _progress(total: int) -> Iterator[_Progress]:
    """A bar on stderr, also when that is no terminal."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield _Lines(total)
        return
    # Without a terminal every refresh stays in the log: refresh seldom.
    interval = 0.1 if sys.stderr.isatty() else 1.0
    with tqdm(total=total, unit="step", unit_scale=True, mininterval=interval, desc="env steps") as bar:
        yield bar


@dataclass
class Tally:
    """What a run came to."""

    env_steps: int = 0
    seconds: float = 0.0
    simulate_seconds: float = 0.0
    episodes: int = 0
    successes: int = 0
    collisions: int = 0
    reasons: Counter[int] = field(default_factory=Counter)
    returns: float = 0.0
    lengths: int = 0

    def add(self, ends: EpisodeEnds | None) -> None:
        """Counts the episodes that ended."""
        if ends is None:
            return
        self.episodes += len(ends)
        self.successes += int(ends.success.sum())
        self.collisions += int((ends.reasons == EndReason.COLLISION).sum())
        self.reasons.update(ends.reasons.tolist())
        self.returns += float(ends.returns.sum())
        self.lengths += int(ends.lengths.sum())

    def report(self) -> list[str]:
        """Lines for people."""
        rate = self.env_steps / max(self.seconds, 1e-9)
        share = 100.0 * self.simulate_seconds / max(self.seconds, 1e-9)
        lines = [
            f"env steps      {self.env_steps} in {self.seconds:.2f} s = {rate:,.0f} per second",
            f"simulator      {share:.0f} % of that time",
            f"episodes       {self.episodes}",
        ]
        if self.episodes:
            named = ", ".join(
                f"{EndReason(reason).name.lower()} {count}" for reason, count in self.reasons.most_common()
            )
            lines += [
                f"success rate   {100.0 * self.successes / self.episodes:.1f} %",
                f"collision rate {100.0 * self.collisions / self.episodes:.1f} %",
                f"ended by       {named}",
                f"mean episode   {self.lengths / self.episodes:.0f} steps, "
                f"return {self.returns / self.episodes:.2f}",
            ]
        return lines


def run_policy(batch: Batch, policy: str, steps: int) -> Tally:
    """Steps a batch with a built-in behavior and counts."""
    tally = Tally()
    worlds = batch.spec.num_envs
    batch.reset()
    batch.step(policy=policy)  # warm-up
    begin = time.perf_counter()
    with _progress(steps * worlds) as progress:
        for _ in range(steps):
            tally.add(batch.step(policy=policy).ends)
            tally.simulate_seconds += batch.timings["simulate_s"]
            progress.update(worlds)
    tally.seconds = time.perf_counter() - begin
    tally.env_steps = steps * worlds
    return tally


def _open(arguments: argparse.Namespace, address: str | None) -> Batch:
    return open_batch(
        arguments.file,
        arguments.num_envs,
        task=arguments.task,
        autoreset=Autoreset.SAME_STEP,
        seed=arguments.seed,
        address=address,
        copy=False,
        threads=arguments.threads,
    )


def bench(arguments: argparse.Namespace) -> int:
    """Measures and prints."""
    with _open(arguments, arguments.address) as batch:
        spec = batch.spec
        width = spec.observation.low.size
        print(
            f"{spec.scenario_names[0]}: {spec.num_envs} worlds, {width} numbers a row, {spec.threads} threads"
        )
        tally = run_policy(batch, arguments.policy, arguments.steps)
    print("\n".join(tally.report()))
    return 0


def _draw(batch: Batch, output: Path) -> None:
    """Writes a picture of the first world."""
    output.write_bytes(batch.client.render_png(batch.spec.batch_id, 0, width=800, height=800))


def _describe(client: Client, batch: Batch) -> str:
    spec = batch.spec
    info = client.info()
    width = spec.observation.low.size
    named = re.search(r"^  name: '?(.*?)'?$", spec.task_yaml, re.MULTILINE)
    task = named[1] if named is not None else "?"
    return (
        f"server {info.version}, {spec.threads} threads, {info.ray_kernel} rays: {spec.num_envs} worlds of "
        f"{spec.scenario_names[0]}, task {task}, {width} numbers each, {spec.total_bytes / 2**20:.1f} MiB"
    )


def quickstart(arguments: argparse.Namespace) -> int:
    """Starts a server, steps many worlds with a progress bar, prints rates and draws one world."""
    server = None if arguments.address else serve()
    try:
        with _open(arguments, server.address if server else arguments.address) as batch:
            print(_describe(batch.client, batch), flush=True)
            tally = run_policy(batch, arguments.policy, arguments.steps)
            name = batch.spec.scenario_names[0]
            output = Path(arguments.output or f"planarium-{name}.png").resolve()
            _draw(batch, output)
    finally:
        if server is not None:
            server.close()
    print("\n".join(tally.report()))
    print(f"picture        {output}")
    return 0
