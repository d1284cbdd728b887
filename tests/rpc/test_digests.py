"""Clients in three languages step the same batch and see the same bytes.

The C++ program (clients/cpp/digest.cc) and the Node script (clients/node/digest.mjs, which knows nothing but the
published .proto) print the SHA-256 of all observations of a run; here Python makes the same run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import planarium
import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(os.environ.get("PLANARIUM_SERVER", ROOT / "build/release/server/planarium-server"))
CPP_DIGEST = SERVER.parents[1] / "clients/cpp/planarium-digest"
NODE_FOLDER = ROOT / "clients/node"
NUM_ENVS, STEPS, SEED = 70, 50, 7
WORLDS = ("nav", "quickstart")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with planarium.serve(options=["--chunk-bytes", "65536"]) as server:  # replies in several parts
        yield server.address


def actions_of(step: int, width: int) -> np.ndarray:
    """Some numbers in [-1, 1) that every language computes alike."""
    slot = np.arange(NUM_ENVS, dtype=np.uint64)[:, None, None]
    component = np.arange(width, dtype=np.uint64)[None, None, :]
    mixed = (slot * 2654435761 + step * 40503 + component * 9973) % 2**32
    return (mixed / 2.0**31 - 1.0).astype(np.float32)


def python_digest(address: str, world: Path) -> str:
    digest = hashlib.sha256()
    text = world.read_text("utf-8")
    with planarium.open_batch(text, NUM_ENVS, task="default", seed=SEED, address=address) as batch:
        digest.update(batch.reset(seed=SEED).observations.tobytes())
        for step in range(STEPS):
            rows = batch.step(actions_of(step, batch.spec.action.shape[0]))
            digest.update(rows.observations.tobytes())
    return digest.hexdigest()


def run_digest(command: list[str], address: str, world: Path) -> str:
    """What a program of another language prints for the same run."""
    arguments = [*command, address, str(world), str(NUM_ENVS), str(STEPS), str(SEED)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[-1]


@pytest.mark.parametrize("name", WORLDS)
def test_the_cpp_client_sees_the_same_bytes(address: str, name: str) -> None:
    world = ROOT / f"worlds/{name}.yaml"
    assert run_digest([str(CPP_DIGEST)], address, world) == python_digest(address, world)


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.skipif(shutil.which("node") is None, reason="no node: run scripts/setup")
def test_the_node_client_sees_the_same_bytes(address: str, name: str) -> None:
    world = ROOT / f"worlds/{name}.yaml"
    assert (NODE_FOLDER / "node_modules").is_dir(), "run scripts/setup"
    assert run_digest(["node", str(NODE_FOLDER / "digest.mjs")], address, world) == python_digest(
        address, world
    )
