"""A batch of worlds as rows: what every framework's view is made of; needs NumPy only."""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planarium._client import Client, default_owner
from planarium._errors import (
    ClosedError,
    FailedPreconditionError,
    ForkError,
    InvalidArgumentError,
    PlanariumError,
)
from planarium._rows import Assembler, RowBuffers
from planarium._stream import DataStream
from planarium._types import Autoreset, BatchSpec, Rows, WorldState
from planarium._wire import pb

_DTYPE_F32 = 1
# A process that ends does not wait long for a server that may be gone.
_GOODBYE_SECONDS = 2.0


def checked_actions(actions: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Actions as contiguous float32 of the given shape.

    Lists and arrays of a dtype that float32 holds exactly are converted.

    Raises
    ------
    InvalidArgumentError
        Another shape, or a dtype that would lose digits.
    """
    array = actions if isinstance(actions, np.ndarray) else np.asarray(actions, np.float32)
    if array.shape != shape or not np.can_cast(array.dtype, np.float32):
        cast = "" if np.can_cast(array.dtype, np.float32) else "; cast with .astype(np.float32)"
        raise InvalidArgumentError(
            f"action: got {array.dtype.name} {array.shape}, expected float32 {shape}{cast}"
        )
    return np.ascontiguousarray(array, "<f4")


def _release(client: Client, batch_id: str, streams: list[DataStream], pid: int, own: bool) -> None:
    """Frees a batch at the end of its Batch; must not refer to that object."""
    if os.getpid() != pid:
        return
    for stream in streams:
        stream.close()
    with contextlib.suppress(PlanariumError, ValueError):
        request = pb.BatchRef(batch_id=batch_id)
        client.channel.unary("DestroyBatch", request, "DestroyBatchReply", _GOODBYE_SECONDS)
    if own:
        client.close()


class Batch:
    """The writer's end of a batch. One thread at a time.

    Made by `Client.attach` or `planarium.open_batch`. Leaving the context, `close` and the end of the
    process free the batch on the server.

    Parameters
    ----------
    client : Client
    spec : BatchSpec
    copy : bool
        False: observations of an answer are overwritten by the next but one.
    own_client : bool
        Close the client with the batch.

    Attributes
    ----------
    spec : BatchSpec
    timings : dict
        Of the last answer: ``round_trip_s`` and ``simulate_s`` in seconds.
    """

    def __init__(
        self, client: Client, spec: BatchSpec, *, copy: bool = True, own_client: bool = False
    ) -> None:
        self.client = client
        self.spec = spec
        self.timings: dict[str, float] = {}
        self._pid = os.getpid()
        self._buffers = RowBuffers(spec, copy)
        self._action_shape = (spec.num_envs, spec.num_agents, *spec.action.shape)
        self._streams: list[DataStream] = []
        self._pending: tuple[str, float] | None = None
        self._attach()
        # Only now: whoever was not let in must not free somebody else's batch.
        self._finalizer = weakref.finalize(
            self, _release, client, spec.batch_id, self._streams, self._pid, own_client
        )

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _attach(self) -> DataStream:
        stream = DataStream(self.client.channel, self.spec.batch_id, default_owner(), self.client.deadline_s)
        self._streams[:] = [stream]
        self._seq = stream.next_seq
        return stream

    def _ready(self) -> DataStream:
        if not self._finalizer.alive:
            raise ClosedError(f"batch {self.spec.batch_id} was closed")
        if os.getpid() != self._pid:
            raise ForkError(
                f"batch {self.spec.batch_id} belongs to process {self._pid}, this is {os.getpid()}: "
                "a batch has one writer; create the environment in the child"
            )
        if self._pending is not None:
            raise FailedPreconditionError(f"the answer to {self._pending[0]} is still awaited")
        return self._streams[0]

    def send_step(self, actions: Any = None, *, policy: str = "", reward_terms: bool = False) -> None:
        """Asks for one step; `receive` gets the answer.

        Parameters
        ----------
        actions : array_like of float32, shape (N, A, *action shape)
            In [-1, 1]; rows that are about to autoreset may hold anything.
        policy : str
            Instead of actions: a built-in behavior steers every agent, ``"dash"``.
        reward_terms : bool
            Ask for the weighted reward terms.

        Raises
        ------
        InvalidArgumentError
            Shape or dtype.
        """
        stream = self._ready()
        request = pb.StepRequest(seq=self._seq, want_reward_terms=reward_terms)
        if policy:
            request.policy = policy
        else:
            request.actions = checked_actions(actions, self._action_shape).tobytes()
            request.actions_dtype = _DTYPE_F32
            request.actions_shape.extend(self._action_shape)
        self._send(stream, pb.ClientFrame(step=request), "step")

    def _send(self, stream: DataStream, frame: Any, what: str) -> None:
        self._pending = (what, time.perf_counter())
        stream.send(frame.SerializeToString())

    def receive(self, timeout: float | None = None) -> Rows:
        """The answer to `send_step` or `send_reset`.

        Parameters
        ----------
        timeout : float, optional
            Seconds; None: the client's deadline.

        Raises
        ------
        DeadlineError
            The stream is given up; `reset` attaches again.
        PlanariumError
            The server's refusal; nothing has changed.
        """
        if self._pending is None:
            raise FailedPreconditionError("receive without send_step or send_reset")
        (what, sent), self._pending = self._pending, None
        stream = self._streams[0]
        limit = self.client.deadline_s if timeout is None else timeout
        assembler = Assembler(self.spec, self._buffers)
        while not assembler.add(stream.receive(limit, what)):
            pass
        self._seq += 1
        own_final = what == "step" and self.spec.autoreset is not Autoreset.SAME_STEP
        rows = assembler.finish(own_final)
        self.timings = {
            "round_trip_s": time.perf_counter() - sent,
            "simulate_s": rows.simulate_ns * 1e-9,
        }
        return rows

    def step(self, actions: Any = None, *, policy: str = "", reward_terms: bool = False) -> Rows:
        """One step of every slot; parameters as in `send_step`, errors as in `receive`."""
        self.send_step(actions, policy=policy, reward_terms=reward_terms)
        return self.receive()

    def reset(
        self,
        *,
        seed: int | None = None,
        slot_seeds: list[int] | None = None,
        mask: NDArray[np.bool_] | None = None,
        episode_exact: bool = False,
    ) -> Rows:
        """Starts new episodes and returns the rows of all slots.

        Parameters
        ----------
        seed : int, optional
            Slot i gets seed + i and starts at its episode 0. None: the next episode of each slot.
        slot_seeds : list of int, length N, optional
            Instead of `seed`.
        mask : ndarray of bool, shape (N,), optional
            Slots to reset; None: all.
        episode_exact : bool
            The seeds are episode seeds of `EpisodeEnds.seeds`: replay those very episodes.
        """
        if self._finalizer.alive and os.getpid() == self._pid and not self._streams[0].alive:
            self._pending = None
            self._attach()
        stream = self._ready()
        request = pb.ResetRequest(seq=self._seq, episode_exact=episode_exact)
        if mask is not None:
            request.mask = np.ascontiguousarray(mask, np.uint8).tobytes()
        if seed is not None:
            request.seed = seed
        if slot_seeds is not None:
            request.slot_seeds.extend(slot_seeds)
        self._send(stream, pb.ClientFrame(reset=request), "reset")
        return self.receive()

    def render(self, slot: int, *, width: int = 0, height: int = 0, lidar: bool = True) -> NDArray[np.uint8]:
        """Picture of one world, uint8 (height, width, 3)."""
        self._ready()
        return self.client.render(self.spec.batch_id, slot, width=width, height=height, lidar=lidar)

    def world_state(self, slot: int) -> WorldState:
        """Complete state of one world."""
        self._ready()
        return self.client.world_state(self.spec.batch_id, slot)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return not self._finalizer.alive

    def close(self) -> None:
        """Frees the batch on the server; a second time does nothing."""
        self._finalizer()
