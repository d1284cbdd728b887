"""Planarium: batched 2D robot worlds on a server, as Gymnasium environments.

>>> import planarium
>>> envs = planarium.make_vec("nav", num_envs=1024)  # doctest: +SKIP
>>> observations, infos = envs.reset(seed=1)  # doctest: +SKIP

Names are loaded when they are first used, so that importing the package costs little and Gymnasium is
needed for the environments only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from planarium._registration import register_when_loaded
from planarium._version import __version__

if TYPE_CHECKING:
    from planarium._batch import Batch
    from planarium._client import Client
    from planarium._env import Env
    from planarium._errors import (
        ClosedError,
        ConnectionLostError,
        DeadlineError,
        FailedPreconditionError,
        ForkError,
        InvalidArgumentError,
        LimitError,
        NotFoundError,
        PlanariumError,
        ScenarioError,
        ScenarioWarning,
        ServerError,
        ServerStartError,
        UnsupportedError,
    )
    from planarium._gym_errors import (
        AlreadyPendingCallError,
        ClosedEnvironmentError,
        InvalidActionError,
        NoAsyncCallError,
        ResetNeededError,
    )
    from planarium._make import make, make_vec
    from planarium._open import open_batch
    from planarium._registration import register_envs
    from planarium._server import LocalServer, serve
    from planarium._types import (
        Autoreset,
        BatchSpec,
        Diagnostic,
        EndReason,
        EpisodeEnds,
        Rows,
        ServerInfo,
        WorldState,
    )
    from planarium._vector_env import VectorEnv

# Module of every exported name.
_HOME: dict[str, str] = {
    "AlreadyPendingCallError": "_gym_errors",
    "Autoreset": "_types",
    "Batch": "_batch",
    "BatchSpec": "_types",
    "Client": "_client",
    "ClosedEnvironmentError": "_gym_errors",
    "ClosedError": "_errors",
    "ConnectionLostError": "_errors",
    "DeadlineError": "_errors",
    "Diagnostic": "_types",
    "EndReason": "_types",
    "Env": "_env",
    "EpisodeEnds": "_types",
    "FailedPreconditionError": "_errors",
    "ForkError": "_errors",
    "InvalidActionError": "_gym_errors",
    "InvalidArgumentError": "_errors",
    "LimitError": "_errors",
    "LocalServer": "_server",
    "NoAsyncCallError": "_gym_errors",
    "NotFoundError": "_errors",
    "PlanariumError": "_errors",
    "ResetNeededError": "_gym_errors",
    "Rows": "_types",
    "ScenarioError": "_errors",
    "ScenarioWarning": "_errors",
    "ServerError": "_errors",
    "ServerInfo": "_types",
    "ServerStartError": "_errors",
    "UnsupportedError": "_errors",
    "VectorEnv": "_vector_env",
    "WorldState": "_types",
    "make": "_make",
    "make_vec": "_make",
    "open_batch": "_open",
    "register_envs": "_registration",
    "serve": "_server",
}

__all__ = [
    "AlreadyPendingCallError",
    "Autoreset",
    "Batch",
    "BatchSpec",
    "Client",
    "ClosedEnvironmentError",
    "ClosedError",
    "ConnectionLostError",
    "DeadlineError",
    "Diagnostic",
    "EndReason",
    "Env",
    "EpisodeEnds",
    "FailedPreconditionError",
    "ForkError",
    "InvalidActionError",
    "InvalidArgumentError",
    "LimitError",
    "LocalServer",
    "NoAsyncCallError",
    "NotFoundError",
    "PlanariumError",
    "ResetNeededError",
    "Rows",
    "ScenarioError",
    "ScenarioWarning",
    "ServerError",
    "ServerInfo",
    "ServerStartError",
    "UnsupportedError",
    "VectorEnv",
    "WorldState",
    "__version__",
    "make",
    "make_vec",
    "open_batch",
    "register_envs",
    "serve",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        raise ImportError(f"planarium.{name} needs Gymnasium: pip install 'planarium[gymnasium]'") from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


register_when_loaded()
