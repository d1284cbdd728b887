"""A real server for the tests."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import planarium
import pytest

ROOT = Path(__file__).resolve().parents[2]
# A line of the server's log at level warn or above.
COMPLAINT = re.compile(r"^\S+ (warn|warning|error|critical) ", re.MULTILINE)

Start = Callable[..., planarium.LocalServer]


def server_binary() -> Path:
    """$PLANARIUM_SERVER (or $PLANARIUM_SERVER_BINARY), else the newest of the build folders."""
    for variable in ("PLANARIUM_SERVER", "PLANARIUM_SERVER_BINARY"):
        if named := os.environ.get(variable):
            return Path(named)
    built = sorted(ROOT.glob("build/*/server/planarium-server"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.exit("no planarium-server: run scripts/build, or set PLANARIUM_SERVER", returncode=2)
    return built[-1]


@pytest.fixture(scope="session")
def server() -> Iterator[planarium.LocalServer]:
    """The server of the tests that do no harm; also what environments without an address use."""
    os.environ["PLANARIUM_SERVER"] = str(server_binary())
    from planarium._server import shared_server

    running = shared_server()
    yield running
    complaints = COMPLAINT.findall(running.log())
    running.close()
    assert not complaints, running.log()


@pytest.fixture
def address(server: planarium.LocalServer) -> str:
    """Address of the shared server."""
    return server.address


@pytest.fixture(autouse=True)
def no_server_warnings(server: planarium.LocalServer) -> Iterator[None]:
    """Fails a test during which the shared server logged a warning, or died."""
    before = len(server.log())
    yield
    assert server.running, server.log()
    assert not COMPLAINT.search(server.log()[before:]), server.log()[before:]


@pytest.fixture
def private_server(server: planarium.LocalServer) -> Iterator[Start]:
    """Starts servers of one's own, with flags; they end with the test."""
    running: list[planarium.LocalServer] = []

    def start(*options: str, threads: int = 1) -> planarium.LocalServer:
        started = planarium.serve(threads=threads, options=options)
        running.append(started)
        return started

    yield start
    for started in running:
        started.close()
