"""What a client may do wrong, what it is told, and that nobody else notices."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import planarium
import pytest
from planarium._grpc import grpc
from planarium._wire import SERVICE, pb
from scenes import ARENA, ARENA_TASK, actions_at

N = 4
BYSTANDER_STEPS = 60
# Deeper than any honest file, and wider after expansion than memory.
BILLION_LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + k)}: &{chr(98 + k)} [{', '.join(['*' + chr(97 + k)] * 9)}]\n" for k in range(12)
)
CYCLIC_ALIAS = "world: &w\n  height: 10\n  again: *w\n"
DEEP = "world: " + "[" * 100_000 + "\n"
LONG = "# padding\n" * 1_000_000 + ARENA


class Bystander:
    """A batch on the same server whose rows must not depend on what others do."""

    def __init__(self, address: str) -> None:
        self._envs = planarium.make_vec(ARENA, 8, task=ARENA_TASK, seed=42, address=address)
        self._hash = hashlib.sha256(self._envs.reset()[0].tobytes())
        self._step = 0

    def step(self, steps: int = 1) -> None:
        for _ in range(steps):
            observations, rewards, terminated, truncated, _ = self._envs.step(actions_at(self._step, 8))
            for array in (observations, rewards, terminated, truncated):
                self._hash.update(array.tobytes())
            self._step += 1

    def finish(self) -> str:
        self.step(BYSTANDER_STEPS - self._step)
        self._envs.close()
        return self._hash.hexdigest()


@pytest.fixture(scope="module")
def undisturbed() -> str:
    """Digest of a bystander whom nobody disturbs."""
    with planarium.serve(threads=1) as server:
        return Bystander(server.address).finish()


@pytest.fixture
def target(private_server: Any, undisturbed: str) -> Iterator[planarium.Client]:
    """A client of a server of its own, on which a bystander steps before, between and after."""
    server = private_server()
    bystander = Bystander(server.address)
    bystander.step(5)
    with planarium.Client(server.address) as client:
        yield client
        bystander.step(5)
        assert client.info().version
    assert server.running
    assert bystander.finish() == undisturbed


@pytest.fixture
def envs(target: planarium.Client) -> Iterator[planarium.VectorEnv]:
    with planarium.make_vec(ARENA, N, task=ARENA_TASK, seed=1, address=target.address) as made:
        made.reset()
        yield made


def raw_call(client: planarium.Client, method: str, wire: bytes) -> grpc.StatusCode:
    """Sends bytes that no message class made and returns the status."""
    with grpc.insecure_channel(client.address) as channel:
        call = channel.unary_unary(SERVICE + method, request_serializer=None, response_deserializer=None)
        try:
            call(wire, timeout=20)
        except grpc.RpcError as error:
            code: grpc.StatusCode = error.code()
            return code
    return grpc.StatusCode.OK


def with_value(value: float, slot: int, element: int) -> np.ndarray[Any, Any]:
    actions = np.zeros((N, 2), np.float32)
    actions[slot, element] = value
    return actions


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        (with_value(np.nan, 3, 1), r"slot 3 robot_0\[1\] = nan \(expected finite in \[-1, 1\]\); 1 bad of 8"),
        (with_value(-np.inf, 0, 0), r"slot 0 robot_0\[0\] = -inf"),
        (np.zeros((N, 2)), r"got float64 \(4, 2\), expected float32 \(4, 2\); cast with \.astype"),
        (np.zeros((N, 2), np.int64), r"got int64"),
        (np.zeros((N, 3), np.float32), r"got float32 \(4, 3\), expected float32 \(4, 2\)"),
        (np.zeros((N + 1, 2), np.float32), r"\(5, 2\)"),
        (np.zeros(2, np.float32), r"\(2,\)"),
    ],
)
def test_wrong_actions_step_nothing(envs: planarium.VectorEnv, actions: Any, text: str) -> None:
    before = envs.world_state(0).step
    with pytest.raises(planarium.InvalidActionError, match=text):
        envs.step(actions)
    assert envs.world_state(0).step == before
    envs.step(np.zeros((N, 2), np.float32))
    assert envs.world_state(0).step == before + 1


def test_lists_and_narrow_dtypes_are_actions(envs: planarium.VectorEnv) -> None:
    envs.step([[0.5, 0.0]] * N)
    envs.step(np.zeros((N, 2), np.float16))
    envs.step(np.zeros((2, N), np.float32).T)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"actions": b"\0" * 63}, "got 63 bytes, expected 32 = f32"),
        ({"actions": b"\0" * 64}, "size of f64"),
        ({"actions": b"\0" * 32, "actions_dtype": 2}, "got f64"),
        ({"actions": b"\0" * 32, "actions_shape": [4, 2]}, r"got f32 \(4, 2\), expected f32 \(4, 1, 2\)"),
        ({"actions": b"\0" * 32, "policy": "dash"}, "expected none when policy"),
        ({"policy": "dahs"}, "policy.*dash"),
    ],
)
def test_the_wire_refuses_what_the_client_would_not_send(
    envs: planarium.VectorEnv, fields: dict[str, Any], text: str
) -> None:
    batch = envs.batch
    batch._send(batch._streams[0], pb.ClientFrame(step=pb.StepRequest(**fields)), "step")
    with pytest.raises(planarium.InvalidArgumentError, match=text):
        batch.receive()


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"mask": b"\1" * (N + 1)}, "got 5 entries, expected 4"),
        ({"mask": b"\0" * N}, "at least one"),
        ({"mask": b"\1\1\1\2"}, "slot 3 = 2"),
        ({"slot_seeds": [1] * (N - 1)}, "got 3 entries, expected 4"),
        ({"seed": 1, "slot_seeds": [1] * N}, "at most one"),
        ({"episode_exact": True}, "no seeds"),
    ],
)
def test_wrong_resets_reset_nothing(envs: planarium.VectorEnv, fields: dict[str, Any], text: str) -> None:
    batch = envs.batch
    batch._send(batch._streams[0], pb.ClientFrame(reset=pb.ResetRequest(**fields)), "reset")
    with pytest.raises(planarium.InvalidArgumentError, match=text):
        batch.receive()
    assert envs.world_state(0).episode == 0


def test_a_gap_in_the_sequence_is_named(envs: planarium.VectorEnv) -> None:
    batch = envs.batch
    batch._seq += 3
    with pytest.raises(planarium.FailedPreconditionError, match="seq: got 5, expected 2"):
        batch.step(policy="dash")
    batch._seq -= 3
    rows = batch.step(policy="dash")
    # The same request again gets the same answer, and nothing is stepped twice.
    batch._seq -= 1
    assert np.array_equal(batch.step(policy="dash").observations, rows.observations)
    assert envs.world_state(0).step == 1


def test_slots_out_of_range(envs: planarium.VectorEnv) -> None:
    for call in (envs.world_state, envs.render_slot):
        with pytest.raises(planarium.InvalidArgumentError, match="slot: got 4"):
            call(4)


def test_a_frame_without_content(envs: planarium.VectorEnv) -> None:
    stream = envs.batch._streams[0]
    stream.send(pb.ClientFrame().SerializeToString())
    with pytest.raises(planarium.InvalidArgumentError, match="frame"):
        stream.receive(10, "nothing")
    envs.step_policy("dash")


def test_malformed_protobuf_on_the_stream_ends_that_stream_alone(target: planarium.Client) -> None:
    with planarium.make_vec(ARENA, N, address=target.address) as envs:
        envs.reset()
        envs.batch._streams[0].send(b"\xff\xff\xff\xff\xff")
        with pytest.raises(planarium.PlanariumError):
            envs.batch._streams[0].receive(10, "nonsense")
        envs.reset(seed=1)
        envs.step_policy("dash")


@pytest.mark.parametrize(
    "method", ["GetServerInfo", "RegisterScenario", "CreateBatch", "Step", "Reset", "Render"]
)
@pytest.mark.parametrize(
    "wire", [b"\xff" * 40, b"\x0a\xff\xff\xff\xff\x0f", bytes(range(256))], ids=["ff", "long", "mix"]
)
def test_malformed_protobuf(target: planarium.Client, method: str, wire: bytes) -> None:
    assert raw_call(target, method, wire) in (
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.UNIMPLEMENTED,
    )


def test_an_unknown_method(target: planarium.Client) -> None:
    assert raw_call(target, "Explode", b"") is grpc.StatusCode.UNIMPLEMENTED


def test_a_message_above_the_limit(target: planarium.Client) -> None:
    with pytest.raises(planarium.LimitError, match="larger than max"):
        target.validate("huge.yaml", "#" * (17 << 20))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [LONG, BILLION_LAUGHS, CYCLIC_ALIAS, DEEP, "\0", "world: [", "- 1", "world: {height: .nan}"],
    ids=["10MB", "billion-laughs", "cyclic-alias", "deep", "nul", "unclosed", "list", "nan"],
)
def test_hostile_files(target: planarium.Client, text: str) -> None:
    with pytest.raises((planarium.InvalidArgumentError, planarium.LimitError)):
        target.register("hostile.yaml", text)
    with contextlib.suppress(planarium.LimitError):
        assert not target.validate("hostile.yaml", text).valid


def test_a_large_file_is_refused_with_its_limit(target: planarium.Client) -> None:
    with pytest.raises(planarium.LimitError, match=r"has \d+ bytes, limit 1048576 \(--max-yaml-bytes\)"):
        target.register("long.yaml", LONG)


def test_a_bad_file_is_refused_with_line_and_hint(target: planarium.Client) -> None:
    with pytest.raises(planarium.InvalidArgumentError, match=r"bad\.yaml:\d+:\d+ .*worlt.*world"):
        target.register("bad.yaml", ARENA.replace("world:", "worlt:"))
    with pytest.raises(
        planarium.InvalidArgumentError, match=r'task\.yaml:\d+:\d+ .*goal\.distanze.*"goal\.distance"'
    ):
        planarium.make_vec(
            ARENA, 1, task="task:\n  observations:\n    - {term: goal.distanze}\n", address=target.address
        )


@pytest.mark.parametrize(
    ("fields", "error", "text"),
    [
        ({"num_envs": 0}, planarium.InvalidArgumentError, "num_envs: got 0"),
        ({"num_envs": 131_073}, planarium.LimitError, r"131073, limit 131072 \(--max-worlds\)"),
        ({"threads": 257}, planarium.InvalidArgumentError, "threads: got 257"),
        ({"lease_seconds": 1e9}, planarium.InvalidArgumentError, "lease_seconds"),
        ({"lease_seconds": float("nan")}, planarium.InvalidArgumentError, "lease_seconds"),
        ({"scenarios": [("feed", 0)]}, planarium.NotFoundError, "feed"),
        ({"scenarios": []}, planarium.InvalidArgumentError, "scenarios: got none"),
        ({"autoreset": 9}, planarium.InvalidArgumentError, "autoreset: got 9"),
        ({"task_yaml": "x" * (1 << 20) + "y"}, planarium.LimitError, "task_yaml"),
    ],
)
def test_wrong_batches_are_refused(
    target: planarium.Client, fields: dict[str, Any], error: type[Exception], text: str
) -> None:
    handle = target.register("arena.yaml", ARENA)
    request: dict[str, Any] = {"scenarios": [(handle.scenario_id, 0)], "num_envs": 1, **fields}
    batches = len(target.list_batches())
    with pytest.raises(error, match=text):
        target.create_batch(request.pop("scenarios"), request.pop("num_envs"), **request)
    assert len(target.list_batches()) == batches


def test_strict_compatibility_is_reserved(target: planarium.Client) -> None:
    handle = target.register("arena.yaml", ARENA)
    request = pb.CreateBatchRequest(
        scenarios=[pb.ScenarioMix(scenario_id=handle.scenario_id)], num_envs=1, compat=1
    )
    with pytest.raises(planarium.UnsupportedError, match="STRICT"):
        target.channel.unary("CreateBatch", request, "BatchSpec", 10)


def test_another_major_protocol_is_refused(target: planarium.Client) -> None:
    request = pb.ServerInfoRequest(protocol_major=2)
    with pytest.raises(planarium.FailedPreconditionError, match=r"client speaks 2\.0, server 1\."):
        target.channel.unary("GetServerInfo", request, "ServerInfo", 10)


def test_too_many_batches(private_server: Any) -> None:
    server = private_server("--max-batches", "2")
    with planarium.Client(server.address) as client:
        handle = client.register("arena.yaml", ARENA)
        for _ in range(2):
            client.create_batch([(handle.scenario_id, 0)], 1)
        with pytest.raises(planarium.LimitError, match="--max-batches"):
            client.create_batch([(handle.scenario_id, 0)], 1)


def test_too_much_memory(private_server: Any) -> None:
    server = private_server("--max-memory", "20MiB")
    with planarium.Client(server.address) as client:
        handle = client.register("arena.yaml", ARENA)
        with pytest.raises(planarium.LimitError, match="--max-memory"):
            client.create_batch([(handle.scenario_id, 0)], 100_000)
        client.create_batch([(handle.scenario_id, 0)], 10)
