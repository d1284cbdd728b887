"""Control plane: one typed method per unary call of the contract."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from planarium import _decode
from planarium._channel import Channel
from planarium._types import (
    Autoreset,
    BatchSpec,
    ScenarioHandle,
    ScenarioReport,
    ServerInfo,
    WorldState,
)
from planarium._wire import PROTOCOL_MAJOR, PROTOCOL_MINOR, pb

if TYPE_CHECKING:
    from planarium._batch import Batch

# Making many worlds takes longer than any other call.
_CREATE_SECONDS = 300.0


def default_owner() -> str:
    """Program, process and host, shown to others that try to write to our batch."""
    program = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
    return f"{program or 'python'} pid {os.getpid()} on {socket.gethostname()}"


class Client:
    """Connection to one server.

    Parameters
    ----------
    address : str, optional
        ``unix:PATH`` or ``HOST:PORT``. None: the local server that this process shares, started
        when needed.
    deadline_s : float
        Seconds that a call may take.

    Raises
    ------
    ConnectionLostError
        Nobody answers at the address.
    FailedPreconditionError
        The server speaks another major version of the protocol.
    ServerStartError
        Without an address: no local server could be started.

    Examples
    --------
    >>> with planarium.Client() as client:  # doctest: +SKIP
    ...     print(client.info().version)
    """

    def __init__(self, address: str | None = None, *, deadline_s: float = 30.0) -> None:
        if address is None:
            from planarium._server import shared_server

            address = shared_server().address
        self.address = address
        self.deadline_s = deadline_s
        self.channel = Channel(address)
        try:
            self.info()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.address!r})"

    def close(self) -> None:
        """Closes the connection; batches of this client stay until their lease ends."""
        self.channel.close()

    def _call(self, method: str, request: Any, reply: str, timeout: float | None = None) -> Any:
        return self.channel.unary(method, request, reply, timeout or self.deadline_s)

    def info(self) -> ServerInfo:
        """Version, limits and catalogue of the server."""
        request = pb.ServerInfoRequest(protocol_major=PROTOCOL_MAJOR, protocol_minor=PROTOCOL_MINOR)
        return _decode.server_info_of(self._call("GetServerInfo", request, "ServerInfo"))

    def validate(self, name: str, yaml: str | bytes) -> ScenarioReport:
        """Checks the text of a world file without keeping it; `name` is shown in the findings."""
        request = pb.ScenarioSource(name=name, yaml=yaml)
        return _decode.report_of(self._call("ValidateScenario", request, "ScenarioReport"))

    def register(self, name: str, yaml: str | bytes) -> ScenarioHandle:
        """Loads a world file into the server.

        Raises
        ------
        InvalidArgumentError
            The file cannot be used; the text holds every error with line and column.
        LimitError
            The file is too large, or too many are registered.
        """
        request = pb.ScenarioSource(name=name, yaml=yaml)
        return _decode.handle_of(self._call("RegisterScenario", request, "ScenarioHandle"))

    def create_batch(
        self,
        scenarios: Sequence[tuple[str, int]],
        num_envs: int,
        *,
        seed: int | None = None,
        autoreset: Autoreset = Autoreset.NEXT_STEP,
        task_yaml: str = "",
        task_name: str = "",
        threads: int = 0,
        max_episode_steps: int = 0,
        lease_seconds: float = 0.0,
    ) -> BatchSpec:
        """Makes `num_envs` worlds.

        Parameters
        ----------
        scenarios : sequence of (str, int)
            Scenario ids and their numbers of slots; all numbers 0: slots are dealt out in turn.
        num_envs : int
        seed : int, optional
            Slot i gets seed + i. None: the server draws one and reports it.
        autoreset : Autoreset
        task_yaml, task_name : str
            Text and name of a task file; empty: the default navigation task.
        threads : int
            Worker threads, 0: the server's default.
        max_episode_steps : int
            0: the task's own limit.
        lease_seconds : float
            A batch without traffic or stream for this long is freed; 0: the server's default.

        Raises
        ------
        InvalidArgumentError, NotFoundError, LimitError
        """
        request = pb.CreateBatchRequest(
            scenarios=[pb.ScenarioMix(scenario_id=i, count=n) for i, n in scenarios],
            num_envs=num_envs,
            autoreset=int(autoreset),
            task_yaml=task_yaml,
            task_name=task_name,
            threads=threads,
            max_episode_steps=max_episode_steps,
            lease_seconds=lease_seconds,
            owner=default_owner()[:256],
        )
        if seed is not None:
            request.seed = seed
        timeout = max(self.deadline_s, _CREATE_SECONDS)
        return _decode.batch_spec_of(self._call("CreateBatch", request, "BatchSpec", timeout))

    def describe_batch(self, batch_id: str) -> BatchSpec:
        """Describes a batch and renews its lease."""
        request = pb.BatchRef(batch_id=batch_id)
        return _decode.batch_spec_of(self._call("DescribeBatch", request, "BatchSpec"))

    def list_batches(self) -> tuple[BatchSpec, ...]:
        """All batches of the server, without bounds, labels and task texts."""
        reply = self._call("ListBatches", pb.ListBatchesRequest(), "BatchList")
        return tuple(_decode.batch_spec_of(batch) for batch in reply.batches)

    def destroy_batch(self, batch_id: str) -> None:
        """Frees a batch.

        Raises
        ------
        NotFoundError
            It is gone already.
        """
        self._call("DestroyBatch", pb.BatchRef(batch_id=batch_id), "DestroyBatchReply")

    def attach(self, batch_id: str, *, copy: bool = True) -> Batch:
        """Becomes the writer of a batch; `copy` as in `planarium.make_vec`.

        Raises
        ------
        FailedPreconditionError
            Somebody else writes to it.
        """
        from planarium._batch import Batch

        return Batch(self, self.describe_batch(batch_id), copy=copy)

    def render(
        self, batch_id: str, slot: int, *, width: int = 0, height: int = 0, lidar: bool = True
    ) -> NDArray[np.uint8]:
        """Picture of one world, uint8 (height, width, 3); sizes 16 to 4096 pixels, 0: 640."""
        frame = self._render(
            "RGB", batch_id=batch_id, slot=slot, width=width, height=height, hide_lidar=not lidar
        )
        pixels: NDArray[np.uint8] = _decode.column(frame.data, "u1", frame.height, frame.width, 3)
        return pixels

    def render_png(
        self, batch_id: str, slot: int, *, width: int = 0, height: int = 0, lidar: bool = True
    ) -> bytes:
        """The same picture as the content of a PNG file."""
        frame = self._render(
            "PNG", batch_id=batch_id, slot=slot, width=width, height=height, hide_lidar=not lidar
        )
        return bytes(frame.data)

    def _render(self, kind: str, **fields: Any) -> Any:
        request = pb.RenderRequest(format=pb.RenderRequest.Format.Value(kind), **fields)
        return self._call("Render", request, "Frame")

    def world_state(self, batch_id: str, slot: int) -> WorldState:
        """Complete state of one world: poses, goals, flags, scans."""
        request = pb.WorldStateRequest(batch_id=batch_id, slot=slot)
        return _decode.world_state_of(self._call("GetWorldState", request, "WorldState"))
