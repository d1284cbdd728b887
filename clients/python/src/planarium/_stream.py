"""The data plane: one Attach stream, frames out and answers in, with deadlines."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from typing import Any

from planarium._channel import Channel
from planarium._errors import (
    ConnectionLostError,
    DeadlineError,
    ServerError,
    error_of_call,
    error_of_number,
)
from planarium._frames import Part, read_reply
from planarium._grpc import grpc
from planarium._wire import PROTOCOL_MAJOR, PROTOCOL_MINOR, pb

_FAR = float("inf")


class _Watchdog:
    """Cancels streams whose answer is late; one thread for all streams of a process.

    A stream has no deadline per answer, and a timer per step would start a thread per step. Here a step
    writes its deadline into a table, and the thread wakes for the earliest one it knows.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._deadlines: dict[DataStream, float] = {}
        self._wake = threading.Condition()
        self._next = _FAR
        threading.Thread(target=self._run, name="planarium-deadlines", daemon=True).start()

    def watch(self, stream: DataStream, deadline: float) -> None:
        self._deadlines[stream] = deadline
        if deadline < self._next:
            with self._wake:
                self._wake.notify()

    def forget(self, stream: DataStream) -> None:
        self._deadlines.pop(stream, None)

    def _run(self) -> None:
        while True:
            with self._wake:
                earliest = min(list(self._deadlines.values()), default=_FAR)
                self._next = earliest
                now = time.monotonic()
                if earliest > now:
                    self._wake.wait(None if earliest == _FAR else earliest - now)
            now = time.monotonic()
            for stream, deadline in list(self._deadlines.items()):
                if deadline <= now:
                    self.forget(stream)
                    stream.expire()


_watchdog: _Watchdog | None = None


def _the_watchdog() -> _Watchdog:
    global _watchdog
    if _watchdog is None or _watchdog.pid != os.getpid():
        _watchdog = _Watchdog()
    return _watchdog


class DataStream:
    """One Attach stream. One thread at a time.

    Parameters
    ----------
    channel : Channel
    batch_id : str
    owner : str
        Shown to others that try to write to the batch.
    timeout : float
        Seconds to wait for the welcome.

    Raises
    ------
    NotFoundError
        Unknown batch.
    FailedPreconditionError
        Somebody else writes to the batch, or the protocols differ.
    """

    def __init__(self, channel: Channel, batch_id: str, owner: str, timeout: float) -> None:
        self._address = channel.address
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._expired = False
        self._watchdog = _the_watchdog()
        hello = pb.Hello(
            batch_id=batch_id,
            protocol_major=PROTOCOL_MAJOR,
            protocol_minor=PROTOCOL_MINOR,
            owner=owner,
        )
        self._frames.put(pb.ClientFrame(hello=hello).SerializeToString())
        self._call = channel.attach(iter(self._frames.get, None))
        try:
            welcome = self.receive(timeout, "Attach")
        except BaseException:
            self.close()
            raise
        if welcome is None or isinstance(welcome, Part):
            self.close()
            raise ServerError(f"Attach at {self._address}: the server did not answer the greeting")
        self.next_seq: int = welcome.next_seq

    def send(self, frame: bytes) -> None:
        """Sends a serialised ClientFrame."""
        self._frames.put(frame)

    def receive(self, timeout: float, doing: str) -> Any:
        """Next answer: a `Part` of a reply, or the Welcome message; None for a frame of a newer kind.

        Raises
        ------
        PlanariumError
            The server refused the frame (the stream goes on), or the stream ended.
        """
        self._watchdog.watch(self, time.monotonic() + timeout)
        try:
            frame = next(self._call)
        except StopIteration:
            raise ConnectionLostError(f"{doing} at {self._address}: the server ended the stream") from None
        except grpc.RpcError as error:
            if self._expired:
                raise DeadlineError(
                    f"{doing} at {self._address}: no answer within {timeout:g} s; the batch is kept, "
                    "call reset to attach to it again"
                ) from None
            raise error_of_call(error, f"{doing} at {self._address}") from None
        finally:
            self._watchdog.forget(self)
        part = read_reply(frame)
        if part is not None:
            return part
        message = pb.ServerFrame.FromString(frame)
        if message.HasField("error"):
            raise error_of_number(message.error.code, message.error.message)
        return message.welcome if message.HasField("welcome") else None

    def expire(self) -> None:
        """Ends the stream because an answer is late (called by the watchdog)."""
        self._expired = True
        self._call.cancel()

    @property
    def alive(self) -> bool:
        """Whether the server can still answer."""
        return bool(self._call.is_active())

    def close(self) -> None:
        """Says goodbye and ends the stream; the batch stays."""
        with contextlib.suppress(Exception):
            self._frames.put(pb.ClientFrame(bye=pb.Bye()).SerializeToString())
            self._frames.put(None)
        call = getattr(self, "_call", None)
        if call is not None:
            call.cancel()
