"""Holds the source text against the hard limits of docs/architecture.md: file and function sizes, unfinished marks.

Run by `python3 tests/style_test.py` or by pytest; needs Universal Ctags for the function sizes.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import unittest

from project_files import ROOT, project_files, read

MAX_FUNCTION_LINES = 60
MAX_FILE_LINES = {".h": 250} | dict.fromkeys((".cc", ".py", ".ts", ".js", ".mjs", ".go", ".rs", ".java"), 500)
NOT_CODE = (".md", ".txt", ".cmake", ".json", ".toml", ".ini", ".yaml", ".yml", ".proto", ".lock", ".sum")
TEXT_SUFFIXES = (*MAX_FILE_LINES, *NOT_CODE)
# Written in pieces, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
REGISTRY_HOSTS = re.compile(
    "|".join(
        r"\.".join(parts)
        for parts in (
            ("registry", "npmjs"),
            ("pypi", "org"),
            ("files", "pythonhosted"),
            ("deb", "debian"),
            ("archive", "ubuntu"),
            ("proxy", "golang"),
            ("crates", "io/"),
            ("repo1?", "maven"),
        )
    )
)


def is_test(name: str) -> bool:
    return name.startswith("tests/") or "/tests/" in name


def suffix(name: str) -> str:
    return "." + name.rsplit(".", 1)[-1]


def cpp_functions(names: list[str]) -> list[tuple[str, int]]:
    """Place and length in lines of every function defined in the files."""
    command = ["ctags", "--output-format=json", "--fields=+ne", "--kinds-C++=f", "-f", "-", "-L", "-"]
    done = subprocess.run(
        command, input="\n".join(names), capture_output=True, text=True, cwd=ROOT, check=True
    )
    tags = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        (f"{tag['path']}:{tag['line']} {tag['name']}", tag["end"] - tag["line"] + 1)
        for tag in tags
        if "end" in tag
    ]


def python_functions(name: str) -> list[tuple[str, int]]:
    """The same for a Python file, docstrings left out: they are the manual, not the code."""
    found = []
    for node in ast.walk(ast.parse(read(name))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node) is not None and first.end_lineno is not None:
                lines -= first.end_lineno - first.lineno + 1
            found.append((f"{name}:{node.lineno} {node.name}", lines))
    return found


def matches(pattern: re.Pattern[str], names: list[str]) -> list[str]:
    """`path:line text` of every line that the pattern finds."""
    return [
        f"{name}:{number} {line.strip()[:80]}"
        for name in names
        for number, line in enumerate(read(name).splitlines(), 1)
        if pattern.search(line)
    ]


class StyleTest(unittest.TestCase):
    def test_no_file_is_over_its_limit(self) -> None:
        lengths = {name: len(read(name).splitlines()) for name in project_files(*MAX_FILE_LINES)}
        over = [f"{name}: {lines}" for name, lines in lengths.items() if lines > MAX_FILE_LINES[suffix(name)]]
        self.assertEqual(over, [], "split these files")

    @unittest.skipUnless(shutil.which("ctags"), "no ctags: run scripts/setup")
    def test_no_function_is_over_its_limit(self) -> None:
        found = cpp_functions([name for name in project_files(".h", ".cc") if not is_test(name)])
        for name in project_files(".py"):
            found += [] if is_test(name) else python_functions(name)
        self.assertGreater(len(found), 100)
        over = [f"{place}: {lines} lines" for place, lines in found if lines > MAX_FUNCTION_LINES]
        self.assertEqual(over, [], f"split these functions (at most {MAX_FUNCTION_LINES} lines)")

    def test_nothing_is_marked_unfinished(self) -> None:
        names = [name for name in project_files(*MAX_FILE_LINES) if name != "tests/style_test.py"]
        self.assertEqual(matches(UNFINISHED, names), [])

    def test_no_package_registry_is_named(self) -> None:
        scripts = [name for name in project_files() if name.startswith(("scripts/", ".ci/"))]
        self.assertEqual(matches(REGISTRY_HOSTS, sorted({*scripts, *project_files(*TEXT_SUFFIXES)})), [])

    def test_headers_are_guarded_by_pragma_once(self) -> None:
        bare = [name for name in project_files(".h") if "#pragma once" not in read(name)]
        self.assertEqual(bare, [])


if __name__ == "__main__":
    unittest.main()
