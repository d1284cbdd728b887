"""Codes of the wire become typed exceptions that keep the server's text."""

from __future__ import annotations

import gymnasium
import planarium
import pytest
from planarium._errors import error_of, error_of_number
from planarium._grpc import grpc


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("INVALID_ARGUMENT", planarium.InvalidArgumentError),
        ("FAILED_PRECONDITION", planarium.FailedPreconditionError),
        ("NOT_FOUND", planarium.NotFoundError),
        ("RESOURCE_EXHAUSTED", planarium.LimitError),
        ("UNIMPLEMENTED", planarium.UnsupportedError),
        ("DEADLINE_EXCEEDED", planarium.DeadlineError),
        ("UNAVAILABLE", planarium.ConnectionLostError),
        ("INTERNAL", planarium.ServerError),
        ("DATA_LOSS", planarium.ServerError),
    ],
)
def test_a_code_becomes_its_exception(code: str, kind: type[planarium.PlanariumError]) -> None:
    error = error_of(grpc.StatusCode[code], "slot 37 is wrong")
    assert type(error) is kind
    assert str(error) == "slot 37 is wrong"
    assert error.code == code
    assert type(error_of_number(grpc.StatusCode[code].value[0], "x")) is kind


def test_an_unknown_number_is_a_server_error() -> None:
    assert isinstance(error_of_number(99, "?"), planarium.ServerError)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (planarium.InvalidActionError, gymnasium.error.InvalidAction),
        (planarium.ResetNeededError, gymnasium.error.ResetNeeded),
        (planarium.ClosedEnvironmentError, gymnasium.error.ClosedEnvironmentError),
        (planarium.AlreadyPendingCallError, gymnasium.error.AlreadyPendingCallError),
        (planarium.NoAsyncCallError, gymnasium.error.NoAsyncCallError),
        (planarium.InvalidArgumentError, ValueError),
        (planarium.FailedPreconditionError, RuntimeError),
        (planarium.NotFoundError, LookupError),
        (planarium.DeadlineError, TimeoutError),
        (planarium.ConnectionLostError, ConnectionError),
    ],
)
def test_exceptions_are_also_the_ones_that_callers_know(
    ours: type[Exception], theirs: type[Exception]
) -> None:
    assert issubclass(ours, theirs)
    assert issubclass(ours, planarium.PlanariumError)
    assert str(ours("slot 3")) == "slot 3"


def test_nobody_at_the_address() -> None:
    with pytest.raises(planarium.ConnectionLostError, match="GetServerInfo at unix:/nowhere/at/all"):
        planarium.Client("unix:/nowhere/at/all")
