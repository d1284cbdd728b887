"""The documents keep their word: every fenced `bash` and `python` block runs, every link and every named file exists.

Blocks of one document run in order in one temporary folder that shows the checkout's files through links, with build/venv on
the PATH and the release server. What is not meant to run is fenced as `console`, `text` or `yaml`.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
import term_tables

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(os.environ.get("PLANARIUM_SERVER", ROOT / "build/release/server/planarium-server"))
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# A path in backticks that starts at a folder of the repository, and the words that stand for a part of one.
NAMED_FILE = re.compile(
    r"`((?:physics|sensors|env|server|proto|clients|worlds|benchmarks|tests|docs|scripts|cmake|\.ci)/[\w./-]*)`"
)
STANDS_FOR_ANY = re.compile(r"FOLDER|UNIT|NAME|FILE")
TIMEOUT_S = 600
# These run this test, so here they only have to be there and to know themselves.
RUNNING_ALREADY = re.compile(r"^(\s*scripts/(?:test|check))\s*$", re.MULTILINE)


class Block(NamedTuple):
    language: str
    line: int
    text: str


def blocks(document: Path) -> list[Block]:
    """Blocks of a document that are meant to run."""
    text = document.read_text(encoding="utf-8")
    found = [Block(m[1], text.count("\n", 0, m.start()) + 2, m[2]) for m in FENCE.finditer(text)]
    return [block for block in found if block.language in ("bash", "python")]


def slugs(document: Path) -> set[str]:
    """Anchors of a document's headings."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def run(block: Block, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs one block in `folder` and ends whatever it left running."""
    text = RUNNING_ALREADY.sub(r"\1 --help", block.text)
    program = ["bash", "-euo", "pipefail", "-c", text] if block.language == "bash" else ["python", "-c", text]
    environment = {
        **os.environ,
        "PATH": f"{ROOT / 'build/venv/bin'}:{SERVER.parent}:{os.environ['PATH']}",
        "PLANARIUM_SERVER": str(SERVER),
    }
    process = subprocess.Popen(
        program,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    return subprocess.CompletedProcess(program, process.returncode, output)


def shown_checkout(folder: Path) -> None:
    """Shows the repository's top level in `folder`, so that commands work and what they write stays out of the checkout."""
    for entry in ROOT.iterdir():
        if entry.name != ".git":
            (folder / entry.name).symlink_to(entry)


@pytest.mark.timeout(TIMEOUT_S * 3)
@pytest.mark.parametrize("document", [d for d in DOCUMENTS if blocks(d)], ids=lambda d: d.name)
def test_every_block_of_a_document_runs(document: Path, tmp_path: Path) -> None:
    shown_checkout(tmp_path)
    for block in blocks(document):
        done = run(block, tmp_path)
        assert done.returncode == 0, (
            f"{document.name}:{block.line}\n{block.text}\nended with {done.returncode}:\n{done.stdout}"
        )


def test_the_readme_runs_the_two_commands() -> None:
    commands = "\n".join(block.text for block in blocks(ROOT / "README.md"))
    assert re.search(r"^scripts/quickstart$", commands, re.MULTILINE)
    assert re.search(r"^scripts/test$", commands, re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_somewhere(document: Path) -> None:
    dead = []
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (document.parent / name).resolve() if name else document
        if not file.exists() or (anchor and anchor not in slugs(file)):
            dead.append(target)
    assert not dead, f"dead links in {document.name}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_named_files_exist(document: Path) -> None:
    names = NAMED_FILE.findall(document.read_text(encoding="utf-8"))
    missing = [name for name in names if not STANDS_FOR_ANY.search(name) and not (ROOT / name).exists()]
    assert not missing


def test_the_task_page_lists_every_term() -> None:
    page = term_tables.split(term_tables.PAGE.read_text(encoding="utf-8"))
    assert page.tables == term_tables.tables(), "run tests/docs/term_tables.py --write"
