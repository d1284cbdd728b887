"""Deep equality of what environments return."""

from __future__ import annotations

from typing import Any

import numpy as np


def differences(ours: Any, theirs: Any, path: str = "result") -> list[str]:
    """Every place where two results differ in type, dtype, shape or value."""
    if isinstance(theirs, dict):
        if not isinstance(ours, dict) or set(ours) != set(theirs):
            keys = set(ours) ^ set(theirs) if isinstance(ours, dict) else type(ours)
            return [f"{path}: keys differ: {keys}"]
        return [d for key in theirs for d in differences(ours[key], theirs[key], f"{path}[{key!r}]")]
    if isinstance(theirs, tuple):
        if not isinstance(ours, tuple) or len(ours) != len(theirs):
            return [f"{path}: {type(ours)} of another length"]
        pairs = zip(ours, theirs, strict=True)
        return [d for k, (a, b) in enumerate(pairs) for d in differences(a, b, f"{path}[{k}]")]
    if isinstance(theirs, np.ndarray):
        return _array_differences(ours, theirs, path)
    if type(ours) is not type(theirs):
        return [f"{path}: {type(ours)} against {type(theirs)}"]
    return [] if ours == theirs else [f"{path}: {ours!r} against {theirs!r}"]


def _array_differences(ours: Any, theirs: np.ndarray[Any, Any], path: str) -> list[str]:
    if not isinstance(ours, np.ndarray) or ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return [
            f"{path}: {getattr(ours, 'dtype', type(ours))} {getattr(ours, 'shape', '')} "
            f"against {theirs.dtype} {theirs.shape}"
        ]
    if theirs.dtype == object:
        pairs = zip(ours.flat, theirs.flat, strict=True)
        return [d for k, (a, b) in enumerate(pairs) for d in differences(a, b, f"{path}[{k}]")]
    if np.array_equal(ours, theirs):
        return []
    where = np.argwhere(ours != theirs)
    return [f"{path}: {len(where)} values differ, first at {where[0].tolist()}"]
