"""Every exception of the package, and how errors of the wire become one of them.

::

    PlanariumError
    +-- InvalidArgumentError (ValueError)           INVALID_ARGUMENT: the request is wrong
    |   +-- ScenarioError                           a world or task file that cannot be found or used
    |   +-- InvalidActionError *                    gymnasium.error.InvalidAction
    +-- FailedPreconditionError (RuntimeError)      FAILED_PRECONDITION: right request, wrong time
    |   +-- ResetNeededError *                      gymnasium.error.ResetNeeded
    |   +-- AlreadyPendingCallError *               gymnasium.error.AlreadyPendingCallError
    |   +-- NoAsyncCallError *                      gymnasium.error.NoAsyncCallError
    +-- NotFoundError (LookupError)                 NOT_FOUND: unknown batch, or its lease ended
    +-- LimitError (RuntimeError)                   RESOURCE_EXHAUSTED: a limit, named
    +-- UnsupportedError (NotImplementedError)      UNIMPLEMENTED: a feature the server lacks
    +-- DeadlineError (TimeoutError)                DEADLINE_EXCEEDED: no answer in time
    +-- ConnectionLostError (ConnectionError)       UNAVAILABLE: no server, or it went away
    +-- ServerError (RuntimeError)                  INTERNAL and every other code
    +-- ServerStartError (RuntimeError)             a local server could not be started
    +-- ForkError (RuntimeError)                    an object of the parent used in a forked child
    +-- ClosedError (RuntimeError)                  used after close()
        +-- ClosedEnvironmentError *                gymnasium.error.ClosedEnvironmentError

Classes marked * are also the Gymnasium exception beside them. They live in ``_gym_errors.py``, which
is imported with the environments only, so that the rest works without Gymnasium.
"""

from __future__ import annotations

from planarium._grpc import grpc


class ScenarioWarning(UserWarning):
    """A key of a world file that is not used as its author may think; the file is used all the same."""


class PlanariumError(Exception):
    """Base class of every exception that this package raises on purpose.

    Attributes
    ----------
    code : str or None
        Name of the gRPC status (``"INVALID_ARGUMENT"``) when a server answered with it, else None.
    """

    code: str | None = None


class InvalidArgumentError(PlanariumError, ValueError):
    """The request is wrong; the text names field, slot, element, expected and got."""


class ScenarioError(InvalidArgumentError):
    """A world or task file that cannot be found, read or used."""


class FailedPreconditionError(PlanariumError, RuntimeError):
    """A right request at the wrong time: sequence gap, done row, another writer."""


class NotFoundError(PlanariumError, LookupError):
    """No such batch or scenario (any more): a batch without traffic ends with its lease."""


class LimitError(PlanariumError, RuntimeError):
    """A limit of the server was reached; the text names it and its flag."""


class UnsupportedError(PlanariumError, NotImplementedError):
    """A feature that this server or client does not have."""


class DeadlineError(PlanariumError, TimeoutError):
    """No answer in time."""


class ConnectionLostError(PlanariumError, ConnectionError):
    """No server answers at the address, or it went away."""


class ServerError(PlanariumError, RuntimeError):
    """The server failed at something that is not the caller's fault."""


class ServerStartError(PlanariumError, RuntimeError):
    """A local server could not be found, built or started; the text says what was tried."""


class ForkError(PlanariumError, RuntimeError):
    """An object of the parent process was used in a forked child."""


class ClosedError(PlanariumError, RuntimeError):
    """The object was closed."""


_BY_CODE: dict[grpc.StatusCode, type[PlanariumError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgumentError,
    grpc.StatusCode.OUT_OF_RANGE: InvalidArgumentError,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPreconditionError,
    grpc.StatusCode.ABORTED: FailedPreconditionError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: LimitError,
    grpc.StatusCode.UNIMPLEMENTED: UnsupportedError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineError,
    grpc.StatusCode.UNAVAILABLE: ConnectionLostError,
    grpc.StatusCode.CANCELLED: ConnectionLostError,
}
_BY_NUMBER: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}


def error_of(code: grpc.StatusCode, text: str) -> PlanariumError:
    """Exception for a gRPC status; its message is the server's text, unchanged."""
    error = _BY_CODE.get(code, ServerError)(text or code.name)
    error.code = code.name
    return error


def error_of_number(number: int, text: str) -> PlanariumError:
    """Exception for a ``google.rpc.Code`` number, as in a refused frame of a stream."""
    return error_of(_BY_NUMBER.get(number, grpc.StatusCode.UNKNOWN), text)


def error_of_call(error: grpc.RpcError, doing: str) -> PlanariumError:
    """Exception for a failed call.

    Parameters
    ----------
    error : grpc.RpcError
        What gRPC raised.
    doing : str
        What was asked of whom, for texts that gRPC itself wrote: ``"Step at unix:/tmp/s"``.
    """
    code = error.code()
    text = str(error.details() or "")
    if code is grpc.StatusCode.UNAVAILABLE:
        text = f"{doing}: no answer from the server: {text}"
    elif code in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED):
        text = f"{doing}: {text}"
    return error_of(code, text)
