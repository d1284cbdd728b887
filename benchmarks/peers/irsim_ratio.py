"""IR-SIM's step against ours on the same world in the same run: first equal results, then the ratio of times.

usage: python benchmarks/peers/irsim_ratio.py [--scene REF-100x44] [--pairs 15]

Needs `ir-sim` from PyPI. IR-SIM steps headless; ours is the in-process step of a batch of 1024 worlds on one thread and on all.
Blocks alternate; the figure is the median of the per-pair ratios with its bootstrap 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import irsim
import numpy as np
import planarium

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from machine import describe
from wire import InProcess, scene_text

GATE_STEPS = 200
WORLDS = 1024
BLOCK_SECONDS = 0.15


def command(action: np.ndarray) -> np.ndarray:
    """The scene's robot has limits [-1, 1]: an action is its command."""
    return action.astype(np.float64).reshape(-1, 1)


def prove_equal(env: Any, text: str) -> tuple[float, float]:
    """Steps both with the same actions; largest pose [m, rad] and relative range difference."""
    rng = np.random.default_rng(1)
    worst_pose = worst_range = 0.0
    task = "task: {terminations: [], episode: {max_steps: 0}, observations: {policy: [{term: lidar.ranges}]}}"
    with planarium.make_vec(text, 1, task=task, seed=1) as envs:
        envs.reset(seed=1)
        for _ in range(GATE_STEPS):
            action = rng.uniform(-1, 1, 2).astype(np.float32)
            observation, *_ = envs.step(action[None])
            env.step(command(action))
            pose = np.array(envs.world_state(0).objects[0].state[:3])
            theirs = env.robot.state[:3, 0]
            scan = env.get_lidar_scan()["ranges"]
            worst_pose = max(worst_pose, float(np.abs(pose - theirs).max()))
            worst_range = max(worst_range, float((np.abs(observation[0] - scan) / scan).max()))
    return worst_pose, worst_range


def irsim_block(env: Any, seconds: float) -> float:
    """Nanoseconds per step of one block."""
    rng = np.random.default_rng(2)
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.step(rng.uniform(-1, 1, (2, 1)))
        steps += 1
    return (time.perf_counter() - start) * 1e9 / steps


def bootstrap(ratios: np.ndarray) -> tuple[float, float]:
    """95 % interval of the median."""
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(ratios, (2000, ratios.size)), axis=1)
    return float(np.quantile(medians, 0.025)), float(np.quantile(medians, 0.975))


def compare(env: Any, scene: str, threads: int, pairs: int) -> dict[str, float]:
    """Alternating blocks of IR-SIM and of our in-process step."""
    ours = InProcess(scene, WORLDS, threads)
    times = np.array(
        [(irsim_block(env, BLOCK_SECONDS), 1e9 / ours.block(BLOCK_SECONDS)) for _ in range(pairs)]
    )
    ours.close()
    ratios = times[:, 0] / times[:, 1]
    low, high = bootstrap(ratios)
    return {
        "threads": threads,
        "irsim_us": float(np.median(times[:, 0])) / 1e3,
        "ours_us": float(np.median(times[:, 1])) / 1e3,
        "ratio": float(np.median(ratios)),
        "ratio_low": low,
        "ratio_high": high,
        "ratio_of_minima": float(times[:, 0].min() / times[:, 1].min()),
    }


def main() -> int:
    """Gate, then ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scene", default="REF-100x44", choices=["REF-100x44"])
    parser.add_argument("--pairs", type=int, default=15)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    text = scene_text(options.scene)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.yaml"
        path.write_text(text)
        env = irsim.make(str(path), headless=True, log_level="ERROR")
        pose, ranges = prove_equal(env, text)
        print(
            f"equal over {GATE_STEPS} steps: poses within {pose:.1e}, ranges within {ranges:.1e} of the range"
        )
        if pose > 1e-9 or ranges > 2e-5:
            print("results differ: no ratio is reported")
            return 1
        cores = int(describe()["cores"])
        rows = [compare(env, options.scene, threads, options.pairs) for threads in (1, cores)]
    for row in rows:
        print(
            f"{options.scene}, {row['threads']:.0f} thread(s): IR-SIM {row['irsim_us']:.0f} us, ours {row['ours_us']:.3f} us per "
            f"world step; ratio {row['ratio']:.0f} [{row['ratio_low']:.0f}, {row['ratio_high']:.0f}]"
        )
    print(
        json.dumps(
            {"scene": options.scene, "machine": describe(), "pose": pose, "ranges": ranges, "rows": rows}
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
