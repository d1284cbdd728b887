"""What users may give as scenario and task, turned into named texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from planarium._errors import ScenarioError
from planarium._source import worlds_folder

ScenarioItem: TypeAlias = str | os.PathLike[str]
Scenario: TypeAlias = ScenarioItem | Sequence[ScenarioItem | Sequence[ScenarioItem | int]]

_SUFFIXES = (".yaml", ".yml")
# Longer texts are never names; os.stat would refuse them.
_LONGEST_PATH = 4096


@dataclass(frozen=True)
class Text:
    """A file's content; `name` is what messages show, `path` is None for text given directly."""

    name: str
    content: str
    path: Path | None = None


def _is_text(item: ScenarioItem) -> bool:
    """Whether it is YAML itself: several lines, or one with a mapping in it."""
    return isinstance(item, str) and ("\n" in item or ": " in item or len(item) > _LONGEST_PATH)


def packaged_worlds() -> dict[str, Path]:
    """Worlds that ship with the client, by name."""
    folder = worlds_folder()
    if folder is None:
        return {}
    files = sorted(folder.glob("*.yaml"))
    return {f.stem: f for f in files if not f.name.endswith(".task.yaml")}


def read_file(path: Path) -> Text:
    """Reads a file, undecodable bytes included: the server says where they are.

    Raises
    ------
    ScenarioError
        It cannot be read.
    """
    try:
        return Text(path.name, path.read_text("utf-8-sig"), path)
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: not UTF-8 text: byte {error.start} is not valid") from None
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror or error}") from None


def read_scenario(item: ScenarioItem) -> Text:
    """One scenario: a path, YAML text, or the name of a packaged world.

    Raises
    ------
    ScenarioError
        Nothing of that name.
    """
    if isinstance(item, str) and _is_text(item):
        return Text("scenario.yaml", item)
    path = Path(item).expanduser()
    if path.is_file():
        return read_file(path)
    worlds = packaged_worlds()
    if str(item) in worlds:
        return read_file(worlds[str(item)])
    names = ", ".join(worlds) or "none"
    raise ScenarioError(
        f"no scenario {str(item)!r}: there is no such file (current folder {Path.cwd()}), "
        f"and the packaged worlds are: {names}"
    )


def read_scenarios(scenario: Scenario) -> list[tuple[Text, int]]:
    """Scenarios and their numbers of slots, 0 where none was given.

    Raises
    ------
    ScenarioError
        A file that is not there, or something that is no scenario.
    """
    if isinstance(scenario, (str, os.PathLike)):
        return [(read_scenario(scenario), 0)]
    shares: list[tuple[Text, int]] = []
    for item in scenario:
        if isinstance(item, (str, os.PathLike)):
            shares.append((read_scenario(item), 0))
            continue
        parts = tuple(item)
        if len(parts) != 2 or isinstance(parts[0], int) or not isinstance(parts[1], int):
            raise ScenarioError(f"scenario: got {item!r}, expected a path, YAML text or a pair (path, count)")
        shares.append((read_scenario(parts[0]), parts[1]))
    if not shares:
        raise ScenarioError("scenario: got an empty list, expected at least one world file")
    return shares


def read_task(task: ScenarioItem | None, scenario: Text) -> Text:
    """The task: a path, YAML text, the name of a preset, or None for the scenario's own.

    A scenario ``NAME.yaml`` owns the task ``NAME.task.yaml`` beside it, if there is one. An empty text is
    the server's default task.

    Raises
    ------
    ScenarioError
        A path that is not there.
    """
    if task is None:
        if scenario.path is not None:
            sidecar = scenario.path.with_name(scenario.path.stem + ".task.yaml")
            if sidecar.is_file():
                return read_file(sidecar)
        return Text("", "")
    if isinstance(task, str) and _is_text(task):
        return Text("task.yaml", task)
    path = Path(task).expanduser()
    if path.is_file() or path.suffix in _SUFFIXES or not str(task).isidentifier():
        return read_file(path)
    return Text(f"preset {task}", f"task:\n  preset: {task}\n")
