"""The term tables of docs/task-file.md, made from what the server says about itself.

usage: python tests/docs/term_tables.py [--write]     (default: shows them)
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import planarium

PAGE = Path(__file__).resolve().parents[2] / "docs/task-file.md"
BEGIN = "<!-- terms: written by tests/docs/term_tables.py, do not edit -->\n"
END = "<!-- end of terms -->"
KINDS = {
    "observation": "Observations",
    "reward": "Rewards",
    "termination": "Terminations",
    "command": "Commands",
    "event": "Events",
}


class Split(NamedTuple):
    """A page around and between the markers."""

    before: str
    tables: str
    after: str


def split(page: str) -> Split:
    before, rest = page.split(BEGIN)
    tables, after = rest.split(END)
    return Split(before + BEGIN, tables, END + after)


def tables() -> str:
    """One table for each kind of term."""
    with planarium.serve() as server, planarium.Client(server.address) as client:
        catalogue = client.info().catalogue
    lines = []
    for kind, title in KINDS.items():
        lines += ["", f"### {title}", "", "| term | meaning | parameters (default) |", "|---|---|---|"]
        for entry in catalogue:
            if entry.kind == kind:
                params = "; ".join(
                    f"`{name}` ({default}{'' if unit == '-' else f'; {unit}'}): {doc}"
                    for name, _, default, unit, doc in entry.params
                )
                lines.append(f"| `{entry.name}` | {entry.doc} | {params} |".replace("|  |", "| |"))
    return "\n".join([*lines, "", ""])


def main() -> None:
    made = tables()
    if "--write" in sys.argv:
        page = split(PAGE.read_text(encoding="utf-8"))
        PAGE.write_text(page.before + made + page.after, encoding="utf-8")
    else:
        print(made)


if __name__ == "__main__":
    main()
