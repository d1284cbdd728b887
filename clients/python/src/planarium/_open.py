"""From "this scenario, so many worlds" to a batch that is ready to reset."""

from __future__ import annotations

import contextlib

from planarium._batch import Batch
from planarium._client import Client
from planarium._errors import PlanariumError, ScenarioError
from planarium._scenario import Scenario, ScenarioItem, read_scenarios, read_task
from planarium._types import Autoreset


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
    scenario : path, str, or list
        World file, its text, the name of a packaged world, or a list of these or of pairs
        (path, number of slots).
    num_envs : int, optional
        Number of worlds. None: the sum of the numbers in `scenario`, else 1.
    task : path or str, optional
        Task file, its text, or the name of a preset (``"drl_nav"``). None: the file
        ``NAME.task.yaml`` beside the scenario, else the default navigation task.
    autoreset : Autoreset
    seed : int, optional
        Slot i gets seed + i. None: drawn by the server, see ``batch.spec.seed``.
    address : str, optional
        None: the local server of this process.
    copy : bool
        False: observations of an answer are overwritten by the next but one.
    max_episode_steps : int, optional
        None: the task's own limit.
    threads : int
        0: the server's default.
    lease_seconds : float
        0: the server's default.

    Raises
    ------
    ScenarioError
        A file is missing, or numbers do not add up.
    InvalidArgumentError
        The server cannot use scenario or task; the text says where and why.
    LimitError, ConnectionLostError, ServerStartError

    Examples
    --------
    >>> with planarium.open_batch("nav", 4) as batch:  # doctest: +SKIP
    ...     rows = batch.reset(seed=1)
    """
    shares = read_scenarios(scenario)
    counted = sum(count for _, count in shares)
    wanted = num_envs if num_envs is not None else counted or len(shares)
    if counted and counted != wanted:
        raise ScenarioError(f"num_envs is {wanted}, but the scenarios' numbers sum to {counted}")
    text = read_task(task, shares[0][0])
    client = Client(address)
    try:
        handles = [client.register(source.name, source.content) for source, _ in shares]
        spec = client.create_batch(
            [(handle.scenario_id, count) for handle, (_, count) in zip(handles, shares, strict=True)],
            wanted,
            seed=seed,
            autoreset=autoreset,
            task_yaml=text.content,
            task_name=text.name,
            threads=threads,
            max_episode_steps=max_episode_steps or 0,
            lease_seconds=lease_seconds,
        )
        try:
            return Batch(client, spec, copy=copy, own_client=True)
        except BaseException:
            with contextlib.suppress(PlanariumError):
                client.destroy_batch(spec.batch_id)
            raise
    except BaseException:
        client.close()
        raise
