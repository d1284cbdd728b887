"""Closing, forking, dying: whose batch lives how long."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import gymnasium
import numpy as np
import planarium
import pytest
from planarium import _channel
from scenes import ARENA, ARENA_TASK, FIELD, actions_at

STAY = np.array([[-1, 0]], np.float32)


def wait_until(condition: Callable[[], bool], seconds: float, what: str) -> float:
    """Seconds that it took for the condition to hold."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < seconds, what
        time.sleep(0.05)
    return time.monotonic() - begin


def batch_ids(address: str) -> set[str]:
    with planarium.Client(address) as client:
        return {batch.batch_id for batch in client.list_batches()}


@contextmanager
def python_process(code: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another Python process and the first line it prints."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def client_process(address: str, then: str) -> AbstractContextManager[tuple[subprocess.Popen[str], str]]:
    """A process with a batch of its own, which prints the batch's id and then does something."""
    return python_process(f"""
        import os, sys, time
        import planarium
        envs = planarium.make_vec({FIELD!r}, 4, address={address!r})
        envs.reset(seed=1)
        print(envs.batch.spec.batch_id, flush=True)
        {then}
    """)


def in_child(work: Callable[[], str]) -> str:
    """Runs `work` in a forked child and returns its text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            text = work()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    deadline = time.monotonic() + 30
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            pytest.fail("the child hangs")
        time.sleep(0.02)
    with os.fdopen(reader) as pipe:
        return pipe.read()


def closed_here(envs: planarium.VectorEnv) -> str:
    envs.close()
    return "closed"


def test_closing_twice_and_using_a_closed_environment(address: str) -> None:
    envs = planarium.make_vec(ARENA, 2, address=address)
    batch = envs.batch.spec.batch_id
    assert batch in batch_ids(address)
    envs.close()
    envs.close()
    assert envs.closed
    assert batch not in batch_ids(address)
    for call in (envs.reset, lambda: envs.step(actions_at(0, 2)), envs.step_wait, envs.render):
        with pytest.raises(planarium.ClosedEnvironmentError):
            call()
    env = planarium.make(ARENA, address=address)
    env.close()
    env.close()
    for other in (env.reset, lambda: env.step(STAY[0]), env.render):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            other()


def test_a_context_manager_closes(address: str) -> None:
    with planarium.open_batch(FIELD, 1, address=address) as batch:
        assert batch.spec.batch_id in batch_ids(address)
    assert batch.closed
    with pytest.raises(planarium.ClosedError):
        batch.reset()
    client = planarium.Client(address)
    client.close()
    client.close()
    with pytest.raises(planarium.ClosedError):
        client.info()


def test_a_forgotten_environment_is_closed(address: str) -> None:
    envs = planarium.make_vec(FIELD, 1, address=address)
    batch = envs.batch.spec.batch_id
    del envs
    gc.collect()
    assert batch not in batch_ids(address)


def test_step_before_reset(address: str) -> None:
    with planarium.make_vec(FIELD, 1, address=address) as envs, planarium.make(FIELD, address=address) as env:
        for call in (lambda: envs.step(STAY), lambda: envs.step_policy("dash"), lambda: env.step(STAY[0])):
            with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
                call()


def test_a_forked_child_gets_a_clear_error_and_the_parent_goes_on(address: str) -> None:
    with planarium.make_vec(ARENA, 2, task=ARENA_TASK, address=address) as envs:
        envs.reset(seed=1)
        said = in_child(lambda: str(envs.step(actions_at(0, 2))))
        assert said.startswith(
            f"ForkError: batch {envs.batch.spec.batch_id} belongs to process {os.getpid()}"
        )
        assert "create the environment in the child" in said
        assert "ForkError" in in_child(lambda: str(envs.reset()))
        assert in_child(lambda: closed_here(envs)) == "closed"
        with planarium.make_vec(ARENA, 2, task=ARENA_TASK, address=address) as twin:
            twin.reset(seed=1)
            for step in range(5):
                assert np.array_equal(envs.step(actions_at(step, 2))[0], twin.step(actions_at(step, 2))[0])


def test_a_forked_child_may_make_its_own(address: str) -> None:
    client = planarium.Client(address)

    def work() -> str:
        client.info()
        with planarium.make_vec(ARENA, 3, task=ARENA_TASK, address=address) as envs:
            return envs.reset(seed=5)[0].tobytes().hex()

    with planarium.make_vec(ARENA, 3, task=ARENA_TASK, address=address) as envs:
        expected = envs.reset(seed=5)[0].tobytes().hex()
        assert in_child(work) == expected
        # Without an address: the parent's own server.
        assert in_child(lambda: planarium.Client().address) == address
    client.close()


def test_a_fork_that_grpc_cannot_take_is_said_instead_of_hanging(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_channel, "FORK_SAFE", False)
    client = planarium.Client(address)
    assert "GRPC_ENABLE_FORK_SUPPORT=1" in in_child(lambda: str(client.info()))
    client.close()


def test_a_killed_client_loses_its_batch_after_the_lease(private_server: Any) -> None:
    server = private_server("--lease", "1")
    # Killed in the middle of a stream of steps.
    with client_process(server.address, "while True: envs.step_policy('dash')") as (client, batch):
        time.sleep(0.3)
        assert batch in batch_ids(server.address)
        client.kill()
        client.wait()
    wait_until(lambda: batch not in batch_ids(server.address), 10, "the batch outlives its lease")
    with planarium.Client(server.address) as watcher, pytest.raises(planarium.NotFoundError, match=batch):
        watcher.describe_batch(batch)
    with planarium.make_vec(FIELD, 4, address=server.address) as envs:
        envs.reset()


def test_a_client_that_thinks_keeps_its_batch(private_server: Any) -> None:
    server = private_server("--lease", "1")
    with planarium.make_vec(FIELD, 1, address=server.address) as envs:
        envs.reset()
        time.sleep(2.5)
        envs.step(STAY)


def test_a_client_that_ends_in_order_frees_its_batch_at_once(address: str) -> None:
    with client_process(address, "sys.exit(3)") as (client, batch):
        assert client.wait() == 3
    assert batch not in batch_ids(address)


def test_two_clients_on_one_batch(address: str) -> None:
    with planarium.make_vec(ARENA, 2, task=ARENA_TASK, address=address, seed=1) as envs:
        batch = envs.batch.spec.batch_id
        rows = envs.reset()[0]
        with planarium.Client(address) as intruder:
            with pytest.raises(
                planarium.FailedPreconditionError,
                match=rf"{batch} takes one writer; holder is .*pid {os.getpid()}",
            ):
                intruder.attach(batch)
            # Looking is allowed.
            assert intruder.world_state(batch, 0).step == 0
            assert intruder.describe_batch(batch).num_envs == 2
        assert rows.shape == (2, rows.shape[1])
        envs.step(actions_at(0, 2))
        # When the writer has gone without destroying, another may go on where it stopped.
        envs.batch._streams[0].close()
        with planarium.Client(address) as heir:
            wait_until(lambda: _can_attach(heir, batch), 5, "the stream is still attached")


def _can_attach(client: planarium.Client, batch_id: str) -> bool:
    try:
        batch = client.attach(batch_id)
    except planarium.FailedPreconditionError:
        return False
    assert batch.step(policy="dash").observations.shape[0] == 2
    batch.close()
    return True


def test_a_server_that_dies_is_a_lost_connection(private_server: Any) -> None:
    server = private_server()
    envs = planarium.make_vec(FIELD, 1, address=server.address)
    envs.reset()
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(planarium.ConnectionLostError):
        for _ in range(100):
            envs.step(STAY)
    with pytest.raises(planarium.ConnectionLostError):
        envs.reset()
    envs.close()


def test_a_drained_server_says_goodbye(private_server: Any) -> None:
    server = private_server()
    with planarium.make_vec(FIELD, 1, address=server.address) as envs:
        envs.reset()
        os.kill(server.pid, signal.SIGTERM)
        wait_until(lambda: not server.running, 15, "the server does not end")
        assert "stopped" in server.log()
        with pytest.raises(planarium.ConnectionLostError):
            envs.step(STAY)


def test_a_late_answer_is_a_deadline_and_reset_begins_anew(private_server: Any) -> None:
    server = private_server()
    with planarium.make_vec(FIELD, 1, address=server.address, seed=1) as envs:
        rows = envs.reset()[0]
        os.kill(server.pid, signal.SIGSTOP)
        envs.step_async(STAY)
        begin = time.monotonic()
        with pytest.raises(planarium.DeadlineError, match=r"step at .*no answer within 0\.3 s"):
            envs.step_wait(timeout=0.3)
        assert 0.25 < time.monotonic() - begin < 5
        os.kill(server.pid, signal.SIGCONT)
        deadline = time.monotonic() + 5
        while True:
            try:
                again = envs.reset(seed=1)[0]
                break
            except planarium.FailedPreconditionError:  # the server has not noticed yet
                assert time.monotonic() < deadline
                time.sleep(0.05)
        assert np.array_equal(rows, again)
        envs.step(STAY)


def test_a_server_ends_with_its_parent(address: str) -> None:
    code = "import planarium; s = planarium.serve(); print(s.pid, s.address, flush=True); input()"
    with python_process(code) as (parent, said):
        pid, own = said.split()
        assert own != address
        parent.kill()
        parent.wait()
    wait_until(lambda: not _runs(int(pid)), 15, "the server outlives its parent")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_thread_that_started_a_server_may_end(address: str) -> None:
    code = """
import threading, time, planarium
servers = []
thread = threading.Thread(target=lambda: servers.append(planarium.serve()))
thread.start(); thread.join(); time.sleep(0.5)
print(planarium.Client(servers[0].address).info().version)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == planarium.__version__, done.stderr
    assert address
