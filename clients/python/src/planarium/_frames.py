"""Reads answers of the data plane where they lie.

A message class would copy the bulk columns twice, once while parsing and once for each access; at several
megabytes a step that is a good part of a step's time. So the few bulk fields are found by hand, as views of
the message, and the small rest is left to the message classes.

The protobuf rules that matter here: fields come in any order, a message field may come in pieces that add
up, the last of several bytes fields counts, unknown fields are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from planarium._errors import ServerError
from planarium._wire import pb

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FRAME_REPLY = 2
_REPLY_STATE = 6
# StepReply's numbers, by field.
_REPLY_NUMBERS = {2: "part", 3: "parts", 4: "first_slot", 5: "rows"}
# The sparse fields of StepReply that the message classes parse: ends, faults, timing.
_REPLY_SPARSE = (7, 8, 9)
_STATE_COLUMNS = {
    1: "observations",
    2: "rewards",
    3: "terminated",
    4: "truncated",
    5: "first",
    6: "alive",
    7: "reward_terms",
}


@dataclass
class Part:
    """One part of a reply: which rows, views of their columns, and the sparse rest as a message."""

    part: int = 0
    parts: int = 0
    first_slot: int = 0
    rows: int = 0
    columns: dict[str, memoryview] = field(default_factory=dict)
    sparse: Any = None


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ServerError("a reply is no valid message: number too long")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview, memoryview]]:
    """Number, value and raw bytes of every field of a message."""
    at, end = 0, len(data)
    while at < end:
        begin = at
        tag, at = _varint(data, at)
        kind = tag & 7
        value: int | memoryview
        if kind == _VARINT:
            value, at = _varint(data, at)
        elif kind == _BYTES:
            size, at = _varint(data, at)
            value = data[at : at + size]
            at += size
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
            value = data[at : at + size]
            at += size
        else:
            raise ServerError(f"a reply is no valid message: wire type {kind}")
        if at > end:
            raise ServerError("a reply is no valid message: it ends within a field")
        yield tag >> 3, value, data[begin:at]


def _read_reply(data: memoryview, part: Part, sparse: list[memoryview]) -> None:
    for number, value, raw in _fields(data):
        if number in _REPLY_NUMBERS and isinstance(value, int):
            setattr(part, _REPLY_NUMBERS[number], value)
        elif number == _REPLY_STATE and not isinstance(value, int):
            for column, content, _ in _fields(value):
                if column in _STATE_COLUMNS and not isinstance(content, int):
                    part.columns[_STATE_COLUMNS[column]] = content
        elif number in _REPLY_SPARSE:
            sparse.append(raw)


def read_reply(frame: bytes) -> Part | None:
    """The part in a serialised ServerFrame, None when the frame holds something else.

    Raises
    ------
    ServerError
        Not a valid message.
    """
    part: Part | None = None
    sparse: list[memoryview] = []
    try:
        for number, value, _ in _fields(memoryview(frame)):
            if number == _FRAME_REPLY and not isinstance(value, int):
                part = part or Part()
                _read_reply(value, part, sparse)
    except IndexError:
        raise ServerError("a reply is no valid message: it ends within a number") from None
    if part is not None:
        part.sparse = pb.StepReply.FromString(b"".join(sparse))
    return part
