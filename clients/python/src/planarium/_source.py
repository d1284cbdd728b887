"""Where the project's source tree is, when there is one.

A wheel built by ``pip install ./clients/python`` remembers the tree it was built from in the generated
module ``_build_info``; a client that runs from the tree itself sees it from its own path.
"""

from __future__ import annotations

import importlib
from pathlib import Path

_PROTO = "proto/planarium/v1/planarium.proto"


def source_root() -> Path | None:
    """Root folder of the source tree, None when there is none on this machine."""
    candidates = [Path(__file__).resolve().parents[4]]
    try:
        info = importlib.import_module("planarium._build_info")
    except ModuleNotFoundError:
        pass
    else:
        candidates.insert(0, Path(info.SOURCE_ROOT))
    for candidate in candidates:
        if (candidate / _PROTO).is_file():
            return candidate
    return None


def worlds_folder() -> Path | None:
    """Folder of the worlds that ship with the client, None when it is missing."""
    packaged = Path(__file__).resolve().parent / "worlds"
    if packaged.is_dir():
        return packaged
    root = source_root()
    return root / "worlds" if root is not None else None
