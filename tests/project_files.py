"""The project's own files, as the tests about the source text see them."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Made by tools or downloaded: nobody's source text.
SKIPPED_FOLDERS = {"build", "node_modules", "__pycache__", "results", "out"}


def _walk() -> list[str]:
    """All files of an unpacked archive, where git knows nothing."""
    names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()]
    return [name for name in names if not name.startswith(".git/")]


def project_files(*suffixes: str) -> list[str]:
    """Paths relative to the repository root, tracked or new, with one of the suffixes (all without any), sorted."""
    listing = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listing, capture_output=True, check=False)
    names = done.stdout.decode().split("\0") if done.returncode == 0 else _walk()
    return sorted(
        {
            name
            for name in names
            if name
            and (not suffixes or name.endswith(suffixes))
            and SKIPPED_FOLDERS.isdisjoint(name.split("/"))
            and (ROOT / name).is_file()
        }
    )


def read(name: str) -> str:
    """Text of a project file."""
    return (ROOT / name).read_text(encoding="utf-8")
