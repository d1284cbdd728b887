"""World steps per second through the Python client's stream, next to the in-process loop of the same run.

usage: python benchmarks/wire.py [--scene REF-100x44] [--worlds 1 64 1024 4096 8192] [--seconds 2]

Client and server share this machine's cores. Every figure is the median (and best) of blocks; the in-process figure of the
same block round stands beside it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import planarium
from machine import describe

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = ROOT / "build" / "release" / "benchmarks" / "step_blocks"
PRESETS = {"REF-100x44": "default", "drl_nav": "drl_nav"}
ROUNDS = 7


class InProcess:
    """Our in-process loop, block by block."""

    def __init__(self, scene: str, worlds: int, threads: int) -> None:
        self._process = subprocess.Popen(
            [BLOCKS, scene, str(worlds), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def block(self, seconds: float) -> float:
        """World steps per second of one block."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        return 1e9 / float(self._process.stdout.readline().split()[0])

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def scene_text(scene: str) -> str:
    """World file of a benchmark scene."""
    return subprocess.run([BLOCKS, scene], check=True, capture_output=True, text=True).stdout


def remote_block(envs: planarium.VectorEnv, actions: np.ndarray, seconds: float) -> float:
    """World steps per second of one block through the client."""
    start = time.perf_counter()
    steps = 0
    while time.perf_counter() - start < seconds:
        envs.step(actions)
        steps += 1
    return steps * envs.num_envs / (time.perf_counter() - start)


def measure(scene: str, worlds: int, seconds: float) -> dict[str, float]:
    """Medians and best of alternating blocks."""
    local = InProcess(scene, worlds, threads=describe()["cores"])  # type: ignore[arg-type]
    task = f"task: {{preset: {PRESETS[scene]}}}"
    with planarium.make_vec(scene_text(scene), worlds, task=task, seed=1, copy=False) as envs:
        envs.reset(seed=1)
        actions = np.random.default_rng(0).uniform(-1, 1, envs.action_space.shape).astype(np.float32)
        block = seconds / ROUNDS
        remote_block(envs, actions, block)
        pairs = [(local.block(block), remote_block(envs, actions, block)) for _ in range(ROUNDS)]
    local.close()
    inside, outside = np.array(pairs).T
    return {
        "worlds": worlds,
        "in_process": float(np.median(inside)),
        "stream": float(np.median(outside)),
        "stream_best": float(outside.max()),
        "ratio": float(np.median(outside / inside)),
    }


def main() -> int:
    """Measures and prints a table and a JSON line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scene", default="REF-100x44", choices=sorted(PRESETS))
    parser.add_argument("--worlds", type=int, nargs="+", default=[1, 64, 1024, 4096, 8192])
    parser.add_argument("--seconds", type=float, default=2.0, help="per measurement and side")
    options = parser.parse_args()
    rows = [measure(options.scene, worlds, options.seconds) for worlds in options.worlds]
    print(f"{options.scene}, world steps/s; {describe()}")
    print(f"{'worlds':>8} {'in process':>12} {'stream':>12} {'best':>12} {'ratio':>7}")
    for row in rows:
        print(
            f"{row['worlds']:>8.0f} {row['in_process']:>12.0f} {row['stream']:>12.0f} "
            f"{row['stream_best']:>12.0f} {row['ratio']:>7.2f}"
        )
    print(json.dumps({"scene": options.scene, "machine": describe(), "rows": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
