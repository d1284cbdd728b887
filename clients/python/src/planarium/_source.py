"""Where the project's source tree is, when there is one.

A wheel built by ``pip install ./clients/python`` remembers the tree it was built from in the generated
module ``_build_info``; a client that runs from the tree itself sees it from its own path.
"""

from __future__ import annotations

import importlib
from pathlib import Path

_PROTO = "proto/planarium/v1/planarium.proto"


def own_tree() -> Path | None:
    """Root of the source tree that this very file is part of, None for an installed package."""
    root = Path(__file__).resolve().parents[4]
    return root if (root / _PROTO).is_file() else None


def source_root() -> Path | None:
    """Root of the source tree, also of the one that the package was installed from."""
    if (root := own_tree()) is not None:
        return root
    try:
        info = importlib.import_module("planarium._build_info")
    except ModuleNotFoundError:
        return None
    recorded = Path(info.SOURCE_ROOT)
    return recorded if (recorded / _PROTO).is_file() else None


def worlds_folder() -> Path | None:
    """Folder of the worlds that ship with the client, None when it is missing."""
    if (root := own_tree()) is not None:
        return root / "worlds"
    packaged = Path(__file__).resolve().parent / "worlds"
    return packaged if packaged.is_dir() else None
