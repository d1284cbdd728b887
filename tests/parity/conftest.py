"""Finds what the parity tests need: the tool, the reference data and IR-SIM itself."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))


def _find_tool() -> Path | None:
    named = os.environ.get("PLANARIUM_PARITY_TOOL")
    if named:
        return Path(named)
    built = [p for p in ROOT.glob("build/*/tests/parity/parity_tool") if p.is_file()]
    return max(built, key=lambda p: p.stat().st_mtime, default=None)


@pytest.fixture(scope="session")
def parity_tool() -> Path:
    """Path of the program ``parity_tool``: $PLANARIUM_PARITY_TOOL, else the newest one built."""
    if importlib.util.find_spec("irsim") is None:
        pytest.skip("ir-sim is not installed; see tests/parity/requirements.txt")
    tool = _find_tool()
    if tool is None:
        pytest.skip("parity_tool is not built (CMake target parity_tool)")
    if not tool.is_file():
        pytest.fail(f"$PLANARIUM_PARITY_TOOL names no file: {tool}")
    return tool


@pytest.fixture(scope="session")
def reference_worlds() -> Path:
    """Folder ``worlds`` of the reference data: $PLANARIUM_REFERENCE_DATA, else ../shared."""
    data = Path(os.environ.get("PLANARIUM_REFERENCE_DATA", ROOT.parent / "shared"))
    worlds = data / "worlds"
    if not worlds.is_dir():
        pytest.skip(f"no reference data folder at {data}; set PLANARIUM_REFERENCE_DATA")
    return worlds
