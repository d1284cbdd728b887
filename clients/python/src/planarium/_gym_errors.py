"""The exceptions that are Gymnasium's as well; the tree is drawn in ``_errors.py``."""

from __future__ import annotations

from gymnasium import error

from planarium._errors import (
    ClosedError,
    FailedPreconditionError,
    InvalidArgumentError,
)


class InvalidActionError(InvalidArgumentError, error.InvalidAction):
    """Actions of the wrong shape or dtype, or with values that are not finite."""


class ResetNeededError(FailedPreconditionError, error.ResetNeeded):
    """``step`` was called before the first ``reset``."""


class AlreadyPendingCallError(FailedPreconditionError, error.AlreadyPendingCallError):
    """A call came while the answer to ``step_async`` is still awaited."""

    def __init__(self, message: str) -> None:
        error.AlreadyPendingCallError.__init__(self, message, "step")


class NoAsyncCallError(FailedPreconditionError, error.NoAsyncCallError):
    """``step_wait`` was called without ``step_async``."""

    def __init__(self, message: str) -> None:
        error.NoAsyncCallError.__init__(self, message, "step")


class ClosedEnvironmentError(ClosedError, error.ClosedEnvironmentError):
    """The environment was closed."""
