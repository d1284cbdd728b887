"""`planarium.serve` and how it finds its program."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import planarium
import pytest
from planarium import _binary
from planarium._server import _private_folder


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No variable, no source tree, an empty PATH."""
    for variable in _binary.VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(_binary, "source_root", lambda: None)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}")
    return tmp_path


def test_the_folder_and_the_socket_are_private(server: planarium.LocalServer) -> None:
    socket = Path(server.address.removeprefix("unix:"))
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    assert "ready at" in server.log()
    assert str(server.pid) in repr(server)


def test_a_long_temporary_folder_is_avoided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import tempfile

    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    folder = _private_folder()
    assert folder.parent == Path("/tmp")
    folder.rmdir()
    assert list(deep.iterdir()) == []


def test_closing_removes_everything(server: planarium.LocalServer) -> None:
    with planarium.serve() as mine:
        folder = Path(mine.address.removeprefix("unix:")).parent
        assert folder.is_dir()
        assert mine.address != server.address
    assert not mine.running
    assert not folder.exists()
    mine.close()


def test_a_port_of_its_own(server: planarium.LocalServer) -> None:
    with planarium.serve(listen="127.0.0.1:0") as mine:
        assert mine.address.startswith("127.0.0.1:")
        assert not mine.address.endswith(":0")
        with planarium.make_vec("nav", 2, address=mine.address) as envs:
            envs.reset()
    assert server.running


def test_the_variable_names_the_program(monkeypatch: pytest.MonkeyPatch, bare: Path) -> None:
    binary = program(bare / "server", "exit 0")
    for variable in _binary.VARIABLES:
        monkeypatch.setenv(variable, str(binary))
        assert _binary.find_server() == binary
        monkeypatch.setenv(variable, str(bare / "missing"))
        with pytest.raises(
            planarium.ServerStartError, match=f"{variable} is .*missing', which is not a program"
        ):
            _binary.find_server()
        monkeypatch.delenv(variable)


def test_the_search_goes_on_to_the_path(bare: Path) -> None:
    binary = program(bare / "bin" / _binary.NAME, "exit 0")
    assert _binary.find_server() == binary


def test_what_was_tried_is_told(bare: Path) -> None:
    with pytest.raises(planarium.ServerStartError) as raised:
        _binary.find_server()
    text = str(raised.value)
    assert all(
        part in text for part in ("$PLANARIUM_SERVER: not set", "PATH: no planarium-server", "source tree")
    )


def test_the_server_is_built_once_from_the_source_tree(
    bare: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = bare / "tree"
    target = tree / "build/release/server" / _binary.NAME
    monkeypatch.setattr(_binary, "source_root", lambda: tree)
    with pytest.raises(planarium.ServerStartError, match="scripts/build: not there"):
        _binary.find_server()
    monkeypatch.setenv("PATH", os.defpath)
    program(tree / "scripts/build", f"echo building $*; mkdir -p {target.parent}; cp /bin/true {target}")
    assert _binary.find_server() == target
    output, errors = capfd.readouterr()
    assert output == ""
    assert "building it once" in errors
    assert "building --server release" in errors
    assert _binary.find_server() == target
    assert capfd.readouterr().err == ""


def test_a_failed_build_is_told(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare / "scripts/build", "exit 7")
    monkeypatch.setattr(_binary, "source_root", lambda: bare)
    with pytest.raises(planarium.ServerStartError, match="failed with status 7"):
        _binary.find_server()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo no luck today >&2; exit 3", "ended with status 3; its last words:\n  no luck today"),
        ("exec sleep 60", r"was not ready within 0\.5 s; it logged nothing"),
    ],
)
def test_a_server_that_does_not_come_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, message: str
) -> None:
    monkeypatch.setenv("PLANARIUM_SERVER", str(program(tmp_path / "bad", text)))
    with pytest.raises(planarium.ServerStartError, match=message):
        planarium.serve(timeout_s=0.5)


def test_a_refused_address(server: planarium.LocalServer) -> None:
    with pytest.raises(planarium.ServerStartError, match="refusing an address that other machines can reach"):
        planarium.serve(listen="0.0.0.0:0")
    assert server.running
