"""Reply parts into arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planarium._decode import episode_ends_of
from planarium._errors import ServerError
from planarium._frames import Part
from planarium._types import BatchSpec, Rows
from planarium._wire import pb


def _fill(target: NDArray[Any], data: memoryview | None, dtype: str) -> None:
    """Copies a column of a part into its rows."""
    source = np.frombuffer(b"" if data is None else data, dtype)
    if source.size != target.size:
        raise ServerError(f"a reply part has {source.size} numbers where {target.size} were expected")
    target.reshape(-1)[:] = source


def _append(ends: Any, more: Any) -> None:
    """Adds the columns of the next part's ``EpisodeEnds``."""
    for field, content in more.ListFields():
        setattr(ends, field.name, getattr(ends, field.name) + content)


class RowBuffers:
    """Memory for the observations of a batch's answers.

    Parameters
    ----------
    spec : BatchSpec
    copy : bool
        True: every answer gets an array of its own. False: two arrays take turns, so an answer is
        valid until the next but one.
    """

    def __init__(self, spec: BatchSpec, copy: bool) -> None:
        self._spec = spec
        self._shape = (spec.num_envs, spec.num_agents, *spec.observation.shape)
        self._ring = [] if copy else [np.empty(self._shape, np.float32) for _ in range(2)]
        self._turn = 0

    def observations(self) -> NDArray[np.float32]:
        """Array (N, A, *observation shape) for the next answer; its content is undefined."""
        if not self._ring:
            return np.empty(self._shape, np.float32)
        self._turn ^= 1
        return self._ring[self._turn]


class Assembler:
    """Collects the parts of one reply; each part covers a range of slots."""

    def __init__(self, spec: BatchSpec, buffers: RowBuffers) -> None:
        self._spec = spec
        self._agents = (spec.num_envs, spec.num_agents)
        self._observations = buffers.observations()
        self._rewards = np.empty(self._agents, np.float32)
        self._flags = {
            name: np.empty(self._agents, np.uint8) for name in ("terminated", "truncated", "alive")
        }
        self._first = np.empty(spec.num_envs, np.uint8)
        self._reward_terms: NDArray[np.float32] | None = None
        self._rows = 0
        self._ends = pb.EpisodeEnds()
        self._tail: Any = None
        self._faults: dict[int, str] = {}

    def add(self, part: Part | None) -> bool:
        """Takes a part; True when it was the last.

        Raises
        ------
        ServerError
            The part does not fit the batch.
        """
        if not isinstance(part, Part):
            raise ServerError("the server answered with something that is no reply")
        rows = slice(part.first_slot, part.first_slot + part.rows)
        columns = part.columns
        _fill(self._observations[rows], columns.get("observations"), "<f4")
        _fill(self._rewards[rows], columns.get("rewards"), "<f4")
        for name, array in self._flags.items():
            _fill(array[rows], columns.get(name), "u1")
        _fill(self._first[rows], columns.get("first"), "u1")
        if "reward_terms" in columns:
            if self._reward_terms is None:
                shape = (*self._agents, len(self._spec.reward_terms))
                self._reward_terms = np.empty(shape, np.float32)
            _fill(self._reward_terms[rows], columns["reward_terms"], "<f4")
        for fault in part.sparse.faults:
            self._faults[fault.slot] = fault.text
        _append(self._ends, part.sparse.ends)
        self._rows += part.rows
        if part.part + 1 < part.parts:
            return False
        self._tail = part.sparse
        return True

    def finish(self, own_final: bool) -> Rows:
        """The whole answer.

        Parameters
        ----------
        own_final : bool
            The row of an ended episode is its last observation (a Step under NEXT_STEP or DISABLED).
        """
        if self._rows != self._spec.num_envs:
            raise ServerError(f"a reply has {self._rows} rows where {self._spec.num_envs} were expected")
        ends = None
        if self._ends.slots:
            shape = self._spec.observation.shape
            ends = episode_ends_of(self._ends, self._spec.num_agents, shape)
            if own_final and ends.final_observations is None:
                object.__setattr__(ends, "final_observations", self._observations[ends.slots])
        flags = {name: array.view(np.bool_) for name, array in self._flags.items()}
        return Rows(
            observations=self._observations,
            rewards=self._rewards,
            first=self._first.view(np.bool_),
            reward_terms=self._reward_terms,
            ends=ends,
            faults=self._faults,
            simulate_ns=self._tail.timing.simulate_ns,
            **flags,
        )
