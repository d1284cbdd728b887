"""The hand-written reader of replies against the message classes."""

from __future__ import annotations

import itertools
from typing import Any

import planarium
import pytest
from planarium._frames import read_reply
from planarium._wire import pb


def a_reply() -> Any:
    reply = pb.StepReply(seq=300, part=1, parts=2, first_slot=70000, rows=2)
    reply.state.observations = bytes(range(200)) * 9
    reply.state.rewards = b"12345678"
    reply.state.first = b"\x00\x01"
    reply.ends.slots = b"\x01\x00\x00\x00"
    reply.faults.add(slot=9, text="lost")
    reply.timing.simulate_ns = 1 << 40
    return reply


def test_reads_what_the_message_classes_read() -> None:
    reply = a_reply()
    part = read_reply(pb.ServerFrame(reply=reply).SerializeToString())
    assert part is not None
    assert (part.part, part.parts, part.first_slot, part.rows) == (1, 2, 70000, 2)
    assert {name: bytes(view) for name, view in part.columns.items()} == {
        "observations": reply.state.observations,
        "rewards": b"12345678",
        "first": b"\x00\x01",
    }
    assert part.sparse.ends == reply.ends
    assert part.sparse.timing == reply.timing
    assert part.sparse.faults[0].text == "lost"


def test_pieces_of_a_message_add_up_in_any_order() -> None:
    frames = [
        pb.ServerFrame(reply=pb.StepReply(timing=pb.Timing(simulate_ns=5))),
        pb.ServerFrame(reply=pb.StepReply(state=pb.PackedWorldState(rewards=b"old!", first=b"\x01"))),
        pb.ServerFrame(reply=pb.StepReply(rows=1, state=pb.PackedWorldState(rewards=b"new!"))),
    ]
    unknown = (
        bytes([0x79]) + bytes(8) + bytes([0x7D]) + bytes(4) + bytes([0x72, 3]) + b"abc" + bytes([0x68, 5])
    )
    for order in itertools.permutations(frames):
        wire = unknown + b"".join(frame.SerializeToString() for frame in order) + unknown
        expected = pb.ServerFrame.FromString(wire).reply
        part = read_reply(wire)
        assert part is not None
        assert part.rows == expected.rows == 1
        assert bytes(part.columns["rewards"]) == expected.state.rewards
        assert bytes(part.columns["first"]) == b"\x01"
        assert part.sparse.timing.simulate_ns == 5


def test_other_frames_are_left_alone() -> None:
    assert read_reply(pb.ServerFrame(error=pb.Error(code=3, message="no")).SerializeToString()) is None
    assert read_reply(pb.ServerFrame(welcome=pb.Welcome(next_seq=7)).SerializeToString()) is None
    assert read_reply(b"") is None


def test_a_cut_reply_is_an_error_and_never_a_wrong_answer() -> None:
    whole = pb.ServerFrame(reply=a_reply()).SerializeToString()
    for cut in range(1, len(whole)):
        with pytest.raises(planarium.ServerError):
            read_reply(whole[:cut])


@pytest.mark.parametrize("wire", [b"\x13", b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x80"])
def test_nonsense_is_an_error(wire: bytes) -> None:
    with pytest.raises(planarium.ServerError):
        read_reply(wire)
