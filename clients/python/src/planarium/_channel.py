"""One gRPC channel per process and address: options, calls, and what happens at a fork."""

from __future__ import annotations

import ipaddress
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from planarium._errors import ClosedError, ForkError, error_of_call
from planarium._grpc import FORK_SAFE, grpc
from planarium._wire import SERVICE, pb

# Process that opened the first channel; another number in a child means that gRPC was forked.
_first_pid: int | None = None


def is_local(address: str) -> bool:
    """Whether the address is a UNIX socket or on the loopback interface."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.rsplit(":", 1)[0].removeprefix("dns:").strip("/[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("ipv4:").removeprefix("ipv6:")).is_loopback
    except ValueError:
        return False


def _options(address: str) -> list[tuple[str, int]]:
    options = [
        # Replies come in parts of less than 1 MB, but a task with huge rows must not fail here.
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1),
        # A server that starts a moment later is found soon.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 1000),
        ("grpc.max_reconnect_backoff_ms", 2000),
    ]
    if is_local(address):
        options.append(("grpc.enable_http_proxy", 0))
    return options


class Channel:
    """A lazily opened channel that is opened anew in a forked child.

    Parameters
    ----------
    address : str
        ``unix:PATH`` or ``HOST:PORT``.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._channel: grpc.Channel | None = None
        self._pid = 0
        self._calls: dict[str, Callable[..., Any]] = {}
        self._closed = False

    def _open(self) -> grpc.Channel:
        global _first_pid
        pid = os.getpid()
        if self._closed:
            raise ClosedError(f"the client of {self.address} was closed")
        if self._channel is not None and self._pid == pid:
            return self._channel
        if _first_pid not in (None, pid) and not FORK_SAFE:
            raise ForkError(
                f"process {pid} was forked from {_first_pid}, which uses gRPC without fork support: "
                "import planarium before grpc, or set GRPC_ENABLE_FORK_SUPPORT=1 before the start, "
                "or start children with the method spawn or forkserver"
            )
        if self._pid != pid:  # a lock that was held at the fork stays held for ever
            self._lock = threading.Lock()
        with self._lock:
            _first_pid = pid if _first_pid is None else _first_pid
            self._calls = {}
            self._channel = grpc.insecure_channel(self.address, options=_options(self.address))
            self._pid = pid
            return self._channel

    def unary(self, method: str, request: Any, reply: str, timeout: float) -> Any:
        """Calls a unary method; `reply` is the name of its reply message.

        Raises
        ------
        PlanariumError
            As `planarium._errors.error_of_call` says.
        """
        channel = self._open()
        call = self._calls.get(method)
        if call is None:
            call = channel.unary_unary(
                SERVICE + method,
                request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=getattr(pb, reply).FromString,
            )
            self._calls[method] = call
        try:
            return call(request, timeout=timeout)
        except grpc.RpcError as error:
            raise error_of_call(error, f"{method} at {self.address}") from None

    def attach(self, frames: Iterator[bytes]) -> Any:
        """Opens the data plane; frames go and come as bytes."""
        call = self._open().stream_stream(
            SERVICE + "Attach",
            request_serializer=None,
            response_deserializer=None,
        )
        return call(frames)

    def close(self) -> None:
        """Closes the channel; a second time does nothing."""
        self._closed = True
        channel, self._channel = self._channel, None
        if channel is not None and self._pid == os.getpid():
            channel.close()
