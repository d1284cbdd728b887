"""Seeds and options of Gymnasium's reset: what may be given, and which requests it takes."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planarium._types import BatchSpec, EpisodeEnds

_OPTIONS = ("reset_mask", "episode_exact")
_MASK = "options['reset_mask']"


def read_seed(seed: Any) -> int:
    """A seed as an int.

    Raises
    ------
    TypeError
        Not an integer.
    ValueError
        Outside 0 .. 2^64 - 1.
    """
    try:
        value = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed: got {seed!r}, expected an integer") from None
    if not 0 <= value < 1 << 64:
        raise ValueError(f"seed: got {value}, expected 0 .. 2^64 - 1")
    return value


def read_seeds(seed: Any, num_envs: int) -> list[int | None] | None:
    """One seed per slot, or None when there is none at all.

    Raises
    ------
    TypeError, ValueError
        Not an integer or sequence, or of the wrong length.
    """
    if seed is None:
        return None
    if not isinstance(seed, (Sequence, np.ndarray)):
        root = read_seed(seed)
        return [(root + i) % (1 << 64) for i in range(num_envs)]
    if len(seed) != num_envs:
        raise ValueError(f"seed: got {len(seed)} seeds, expected num_envs = {num_envs}")
    seeds = [None if s is None else read_seed(s) for s in seed]
    return None if all(s is None for s in seeds) else seeds


def check_option_names(options: dict[str, Any], known: Sequence[str]) -> None:
    """Refuses options that nobody would honour.

    Raises
    ------
    ValueError
    """
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"options: unknown key {name!r}, expected {list(known)}{hint}")


def read_options(options: dict[str, Any] | None, num_envs: int) -> tuple[NDArray[np.bool_] | None, bool]:
    """Mask (None: all slots) and whether seeds are episode seeds; `options` stays as it is.

    Raises
    ------
    TypeError, ValueError
        As Gymnasium's own vector environments do for masks; ValueError for an unknown key.
    """
    if options is None:
        return None, False
    check_option_names(options, _OPTIONS)
    exact = bool(options.get("episode_exact", False))
    mask = options.get("reset_mask")
    if mask is None:
        return None, exact
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"{_MASK} must be a numpy array, got {type(mask)}")
    if mask.dtype != np.bool_:
        raise TypeError(f"{_MASK} must have dtype bool, got {mask.dtype}")
    if mask.shape != (num_envs,):
        raise ValueError(f"{_MASK} must have shape ({num_envs},), got {mask.shape}")
    if not mask.any():
        raise ValueError(f"{_MASK} must select at least one slot")
    return mask, exact


@dataclass(frozen=True)
class ResetPlan:
    """One Reset request."""

    slot_seeds: list[int] | None
    mask: NDArray[np.bool_] | None


def plan_reset(
    seeds: list[int | None] | None, mask: NDArray[np.bool_] | None, was_reset: bool
) -> list[ResetPlan]:
    """Requests that a reset takes: one, or two when only some of the slots get a seed."""
    if seeds is None:
        return [ResetPlan(None, mask)]
    given = np.array([s is not None for s in seeds])
    selected = np.ones(len(seeds), np.bool_) if mask is None else mask
    filled = [s or 0 for s in seeds]
    if given[selected].all():
        return [ResetPlan(filled, mask)]
    rest = selected & ~given
    if not (selected & given).any():
        return [ResetPlan(None, mask)]
    # The very first reset must select every slot; seeding some of them once more is harmless then.
    return [ResetPlan(None, rest if was_reset else mask), ResetPlan(filled, selected & given)]


def updated(old: list[int], seeds: list[int | None] | None, mask: NDArray[np.bool_] | None) -> list[int]:
    """Slot seeds after a reset."""
    if seeds is None:
        return old
    return [new if new is not None and (mask is None or mask[i]) else old[i] for i, new in enumerate(seeds)]


def joined_ends(parts: list[EpisodeEnds | None]) -> EpisodeEnds | None:
    """Episode ends of several answers as one, ascending by slot."""
    present = [part for part in parts if part is not None]
    if len(present) < 2:
        return present[0] if present else None
    order = np.argsort(np.concatenate([part.slots for part in present]), kind="stable")
    columns: dict[str, Any] = {}
    for field in fields(EpisodeEnds):
        values = [getattr(part, field.name) for part in present]
        missing = any(value is None for value in values)
        columns[field.name] = None if missing else np.concatenate(values)[order]
    return EpisodeEnds(**columns)


def no_ends(spec: BatchSpec) -> EpisodeEnds:
    """Zero episodes."""
    per_agent = np.zeros((0, spec.num_agents), np.float64)
    numbers = np.zeros(0, np.int32)
    small = np.zeros(0, np.uint8)
    large = np.zeros(0, np.uint64)
    return EpisodeEnds(
        slots=numbers,
        returns=per_agent,
        lengths=numbers,
        success=np.zeros(0, np.bool_),
        reasons=small,
        seeds=large,
        episodes=large,
        final_observations=np.zeros((0, spec.num_agents, *spec.observation.shape), np.float32),
        scenarios=numbers,
        sim_seconds=np.zeros(0, np.float64),
        path_lengths=per_agent,
        collided=small,
    )
