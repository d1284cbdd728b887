"""From "this scenario, so many worlds" to a batch that is ready to reset."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

from planarium._batch import Batch
from planarium._client import Client
from planarium._errors import PlanariumError, ScenarioError, ScenarioWarning
from planarium._scenario import Scenario, ScenarioItem, Text, read_scenarios, read_task
from planarium._types import Autoreset, BatchSpec


def open_batch(
    scenario: Scenario,
    num_envs: int | None = None,
    *,
    task: ScenarioItem | None = None,
    autoreset: Autoreset = Autoreset.NEXT_STEP,
    seed: int | None = None,
    address: str | None = None,
    copy: bool = True,
    max_episode_steps: int | None = None,
    threads: int = 0,
    lease_seconds: float = 0.0,
) -> Batch:
    """Makes worlds and becomes their writer; needs NumPy only, rows are (N, A, ...).

    Parameters
    ----------
    scenario, num_envs, task, seed, address, copy, max_episode_steps, threads
        As for `planarium.VectorEnv`.
    autoreset : Autoreset
    lease_seconds : float
        A batch without a writer for this long is freed; 0: the server's default.

    Raises
    ------
    ScenarioError
        A file is missing, or numbers do not add up.
    InvalidArgumentError
        The server cannot use scenario or task; the text says where and why.
    LimitError, ConnectionLostError, ServerStartError

    Warns
    -----
    ScenarioWarning
        Each key of a world file that is unknown or not used as written; `planarium lint` shows more.

    Examples
    --------
    >>> with planarium.open_batch("nav", 4) as batch:  # doctest: +SKIP
    ...     rows = batch.reset(seed=1)
    """
    shares = read_scenarios(scenario)
    text = read_task(task, shares[0][0])
    request: dict[str, Any] = {
        "num_envs": _number_of_worlds(shares, num_envs),
        "seed": seed,
        "autoreset": autoreset,
        "task_yaml": text.content,
        "task_name": text.name,
        "threads": threads,
        "max_episode_steps": max_episode_steps or 0,
        "lease_seconds": lease_seconds,
    }
    client = Client(address)
    try:
        return _attach(client, _create(client, shares, request), copy)
    except BaseException:
        client.close()
        raise


def _number_of_worlds(shares: list[tuple[Text, int]], num_envs: int | None) -> int:
    counted = sum(count for _, count in shares)
    wanted = num_envs if num_envs is not None else counted or len(shares)
    if counted and counted != wanted:
        raise ScenarioError(f"num_envs is {wanted}, but the scenarios' numbers sum to {counted}")
    return wanted


def _create(client: Client, shares: list[tuple[Text, int]], request: dict[str, Any]) -> BatchSpec:
    handles = [(client.register(text.name, text.content), count) for text, count in shares]
    for handle, _ in handles:
        for finding in handle.diagnostics:
            if finding.severity == "warning":
                warnings.warn(str(finding), ScenarioWarning, stacklevel=2)
    return client.create_batch([(handle.scenario_id, count) for handle, count in handles], **request)


def _attach(client: Client, spec: BatchSpec, copy: bool) -> Batch:
    """Becomes the writer of a batch just made; frees it when that fails."""
    try:
        return Batch(client, spec, copy=copy, own_client=True)
    except BaseException:
        with contextlib.suppress(PlanariumError):
            client.destroy_batch(spec.batch_id)
        raise
