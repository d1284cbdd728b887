"""What the package shows, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import planarium
import pytest
from planarium import _errors, _gym_errors, _types
from planarium._wire import pb

EXPORTS = [
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


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_export_list_is_what_was_agreed() -> None:
    assert planarium.__all__ == EXPORTS
    assert sorted(planarium._HOME) == sorted(name for name in EXPORTS if name != "__version__")


@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_exists_and_is_documented(name: str) -> None:
    value = getattr(planarium, name)
    assert isinstance(value, str) or value.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'make_vek'"):
        planarium.make_vek  # noqa: B018


def test_importing_loads_no_framework_and_no_grpc() -> None:
    loaded = run_python(
        "import sys, planarium; print([m for m in ('gymnasium', 'grpc', 'numpy', 'tqdm') if m in sys.modules])"
    )
    assert loaded == "[]"


def test_the_rows_need_no_gymnasium(address: str) -> None:
    code = f"""
import sys
sys.modules["gymnasium"] = None
import planarium
with planarium.open_batch("nav", 2, address={address!r}, seed=1) as batch:
    print(batch.reset().observations.shape[:2], batch.step(policy="dash").rewards.shape)
try:
    planarium.make("nav")
except ImportError as error:
    print(error)
"""
    assert "(2, 1) (2, 1)" in run_python(code)


def test_the_package_is_typed() -> None:
    assert (Path(planarium.__file__).parent / "py.typed").is_file()


def test_every_exception_of_the_drawn_tree_is_one() -> None:
    drawn = {
        line.split("+--")[1].split()[0] for line in (_errors.__doc__ or "").splitlines() if "+--" in line
    }
    classes = {**vars(_errors), **vars(_gym_errors)}
    real = {
        name
        for name, value in classes.items()
        if isinstance(value, type) and issubclass(value, planarium.PlanariumError)
    } - {"PlanariumError"}
    assert drawn == real
    assert real <= set(planarium.__all__)


def test_enumerations_are_those_of_the_wire() -> None:
    reply = pb.BatchSpec.DESCRIPTOR.fields_by_name["autoreset"].enum_type
    wire = {value.name.removeprefix("AUTORESET_"): value.number for value in reply.values}
    assert {mode.name: mode.value for mode in planarium.Autoreset} == {
        name: number for name, number in wire.items() if number
    }
    reasons = pb.pool().FindEnumTypeByName("planarium.v1.EndReason")
    wire = {value.name.removeprefix("END_REASON_"): value.number for value in reasons.values}
    assert {reason.name: reason.value for reason in planarium.EndReason} == wire


def test_rows_name_every_column_of_the_wire() -> None:
    ends = {field.name for field in pb.EpisodeEnds.DESCRIPTOR.fields}
    assert ends == set(_types.EpisodeEnds.__dataclass_fields__)
    columns = {field.name for field in pb.PackedWorldState.DESCRIPTOR.fields}
    assert columns <= set(_types.Rows.__dataclass_fields__)
