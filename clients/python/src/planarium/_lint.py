"""What `planarium lint` says about a file."""

from __future__ import annotations

import re
from pathlib import Path

from planarium._client import Client
from planarium._errors import InvalidArgumentError, LimitError, PlanariumError, ScenarioError
from planarium._scenario import Text, read_file
from planarium._types import Diagnostic

_TASK_SUFFIX = ".task.yaml"
# `FILE:LINE:COLUMN KEY: MESSAGE (SEVERITY)`, as servers write findings into texts of errors.
_FINDING = re.compile(r"^(?:task )?(.+?):(\d+):(\d+) ([^\s:]*): (.*) \((error|warning|note)\)$")
Verdict = tuple[bool, tuple[Diagnostic, ...]]


def lint_file(client: Client, name: str, world: str | None = None) -> Verdict:
    """Whether a world or task file can be used, and the findings.

    Parameters
    ----------
    world : str, optional
        World file that a task file is judged with; None: the one of its name beside it.
    """
    try:
        text = read_file(Path(name))
        if name.endswith(_TASK_SUFFIX):
            return _lint_task(client, name, text, world)
        report = client.validate(name, text.content)
    except ScenarioError as error:
        return False, (_error(name, str(error).removeprefix(f"{name}: ")),)
    except (InvalidArgumentError, LimitError) as error:
        return False, (_error(name, str(error)),)
    return report.valid, report.diagnostics


def _error(name: str, message: str) -> Diagnostic:
    return Diagnostic("error", name, 0, 0, "", message, "")


def _findings_in(text: str, name: str) -> tuple[Diagnostic, ...]:
    """Findings in the text of a refusal, in the text's own words where it holds none."""
    found = []
    for line in text.splitlines():
        if (match := _FINDING.match(line)) is not None:
            file, row, column, key, message, severity = match.groups()
            found.append(Diagnostic(severity, file, int(row), int(column), key, message, ""))
    return tuple(found) or (_error(name, text),)


def _lint_task(client: Client, name: str, task: Text, beside: str | None) -> Verdict:
    """A task is judged together with the world beside it: a batch is made and thrown away."""
    world = Path(beside or name.removesuffix(_TASK_SUFFIX) + ".yaml")
    if not world.is_file():
        hint = "a task is judged together with a world: name one with --world"
        return False, (Diagnostic("error", name, 0, 0, "", f"not checked: there is no {world}", hint),)
    try:
        handle = client.register(world.name, read_file(world).content)
    except PlanariumError as error:
        return False, (_error(name, f"its world cannot be used: {error}"),)
    try:
        spec = client.create_batch(
            [(handle.scenario_id, 0)], 1, task_yaml=task.content, task_name=name, threads=1
        )
    except InvalidArgumentError as error:
        return False, _findings_in(str(error), name)
    client.destroy_batch(spec.batch_id)
    return True, ()
