"""Runs clang-tidy over the product's C++ sources, in parallel, and remembers what was clean.

usage: scripts/tidy.py [SOURCE...]     (default: every source of build/release/compile_commands.json outside tests/)

A source is checked again only when its own text, a project header below it, its compile flags or .clang-tidy change: a
clean run leaves an empty file named by the hash of all these under build/tidy/.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATABASE = ROOT / "build/release"
CACHE = ROOT / "build/tidy"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
FOLDERS = ("physics", "sensors", "env", "server", "clients", "benchmarks")


def project_headers(source: Path, seen: set[Path]) -> None:
    """Adds `source` and all project files that it includes, directly or not, to `seen`."""
    if source in seen or not source.is_file():
        return
    seen.add(source)
    for name in INCLUDE.findall(source.read_text(encoding="utf-8")):
        for base in (ROOT, source.parent, DATABASE / "proto/generated"):
            if (base / name).is_file():
                project_headers((base / name).resolve(), seen)
                break


def fingerprint(tidy: str, source: Path, command: str) -> str:
    """Hash of everything that the verdict on `source` depends on, system headers aside."""
    files: set[Path] = set()
    project_headers(source, files)
    digest = hashlib.sha256(f"{tidy}\n{command}\n".encode())
    for path in [ROOT / ".clang-tidy", *sorted(files)]:
        digest.update(f"{path}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def sources_with_commands(wanted: list[str]) -> dict[Path, str]:
    """Compile command of each source to check."""
    selected = {(Path.cwd() / name).resolve() for name in wanted}
    result: dict[Path, str] = {}
    for entry in json.loads((DATABASE / "compile_commands.json").read_text(encoding="utf-8")):
        path = Path(entry["file"]).resolve()
        inside = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS
        if inside and path.is_file() and (not selected or path in selected):
            result[path] = entry["command"]
    return result


def check(tidy: str, source: Path, command: str) -> str:
    """Report on one source, empty when clean."""
    stamp = CACHE / fingerprint(tidy, source, command)
    if stamp.exists():
        return ""
    headers = f"{re.escape(str(ROOT))}/({'|'.join(FOLDERS)})/"
    done = subprocess.run(
        [
            tidy,
            "--quiet",
            "-p",
            str(DATABASE),
            f"--header-filter={headers}",
            "--extra-arg=-Wno-unknown-warning-option",
            str(source),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        stamp.touch()
        return ""
    return done.stdout + "".join(line for line in done.stderr.splitlines(True) if "error:" in line)


def main() -> int:
    tidy = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if tidy is None:
        print("error: clang-tidy is missing: run scripts/setup first", file=sys.stderr)
        return 1
    if not (DATABASE / "compile_commands.json").is_file():
        print("error: no build/release/compile_commands.json: run scripts/build first", file=sys.stderr)
        return 1
    CACHE.mkdir(parents=True, exist_ok=True)
    work = sources_with_commands(sys.argv[1:])
    # The largest sources first, so that no long one is left alone at the end.
    order = sorted(work, key=lambda path: -path.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = [r for r in pool.map(lambda path: check(tidy, path, work[path]), order) if r]
    for report in reports:
        print(report)
    print(f"clang-tidy: {len(order)} sources, {len(reports)} with findings")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
