"""Finds the program planarium-server, or builds it from the source tree."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from planarium._errors import ServerStartError
from planarium._source import source_root

NAME = "planarium-server"
VARIABLES = ("PLANARIUM_SERVER", "PLANARIUM_SERVER_BINARY")


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def find_server() -> Path:
    """Path of the server's program.

    Looks at the environment variable PLANARIUM_SERVER (or PLANARIUM_SERVER_BINARY), into the package,
    into the release build of the source tree, and along PATH; else builds it there.

    Raises
    ------
    ServerStartError
        The text lists what was tried.
    """
    for variable in VARIABLES:
        if named := os.environ.get(variable):
            if _is_program(Path(named)):
                return Path(named)
            raise ServerStartError(f"{variable} is {named!r}, which is not a program")
    tried = [f"${VARIABLES[0]}: not set"]
    root = source_root()
    candidates = [Path(__file__).resolve().parent / "_bin" / NAME]
    if root is not None:
        candidates.append(root / "build" / "release" / "server" / NAME)
    for candidate in candidates:
        if _is_program(candidate):
            return candidate
        tried.append(f"{candidate}: not there")
    if (on_path := shutil.which(NAME)) is not None:
        return Path(on_path)
    tried.append(f"PATH: no {NAME}")
    if root is None:
        tried.append("source tree: none on this machine, so it cannot be built")
    elif not _is_program(root / "scripts" / "build"):
        tried.append(f"{root / 'scripts' / 'build'}: not there, so it cannot be built")
    else:
        return _build(root)
    raise ServerStartError(f"found no {NAME}; tried\n  " + "\n  ".join(tried))


def _build(root: Path) -> Path:
    """Builds the server in its source tree; others that want the same wait for it."""
    binary = root / "build" / "release" / "server" / NAME
    command = [str(root / "scripts" / "build"), "--server", "release"]
    (root / "build").mkdir(exist_ok=True)
    with (root / "build" / ".server-build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_program(binary):
            return binary
        print(
            f"planarium: no {NAME} yet, building it once (a few minutes): {' '.join(command)}",
            file=sys.stderr,
            flush=True,
        )
        status = subprocess.run(command, stdout=sys.stderr, check=False).returncode
    if status != 0 or not _is_program(binary):
        raise ServerStartError(
            f"building {NAME} failed with status {status}: {' '.join(command)}; "
            f"{root / 'scripts' / 'setup'} installs what the build needs"
        )
    return binary
