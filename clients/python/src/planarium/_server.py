"""A server of one's own on a UNIX socket."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

from planarium._binary import find_server
from planarium._errors import ServerStartError

_READY = "planarium ready "
# The kernel allows 107 bytes of socket path.
_LONGEST_SOCKET = 100
_LOG_LINES = 20
_STOP_SECONDS = 10.0


def _private_folder() -> Path:
    """Folder that only this user may enter, with a path short enough for a socket."""
    folder = tempfile.mkdtemp(prefix="planarium-")
    if len(folder) + len("/server.sock") > _LONGEST_SOCKET:
        Path(folder).rmdir()
        folder = tempfile.mkdtemp(prefix="planarium-", dir="/tmp")
    return Path(folder)


def _stop(process: subprocess.Popen[bytes], folder: Path, pid: int) -> None:
    """Ends a server; a forked child leaves its parent's alone."""
    if os.getpid() != pid:
        return
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    shutil.rmtree(folder, ignore_errors=True)


class LocalServer:
    """A running local server; made by `planarium.serve`.

    Attributes
    ----------
    address : str
        ``unix:PATH``, for `planarium.Client` and the ``address=`` of environments.
    pid : int
        Its process.
    """

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, address: str) -> None:
        self.address = address
        self.pid = process.pid
        self._process = process
        self._folder = folder
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _stop, process, folder, self._owner)

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"LocalServer({self.address!r}, pid={self.pid})"

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        if os.getpid() == self._owner:
            return self._process.poll() is None
        try:
            os.kill(self.pid, 0)
        except OSError:
            return False
        return True

    def log(self) -> str:
        """What the server has logged so far."""
        return _read_log(self._folder)

    def close(self) -> None:
        """Lets running steps finish, ends the server and removes its folder."""
        self._finalizer()


def _read_log(folder: Path) -> str:
    with contextlib.suppress(OSError):
        return (folder / "server.log").read_text("utf-8", "replace")
    return ""


def _last_words(folder: Path) -> str:
    lines = _read_log(folder).strip().splitlines()[-_LOG_LINES:]
    return "its last words:\n  " + "\n  ".join(lines) if lines else "it logged nothing"


def _wait_until_ready(process: subprocess.Popen[bytes], folder: Path, command: str, timeout_s: float) -> str:
    """Address from the ready line; raises ServerStartError."""
    output = folder / "stdout"
    deadline = time.monotonic() + timeout_s
    while True:
        # A line counts when its end is there.
        for line in output.read_text("utf-8", "replace").splitlines(keepends=True):
            if line.startswith(_READY) and line.endswith("\n"):
                return line[len(_READY) :].strip()
        if (status := process.poll()) is not None:
            raise ServerStartError(f"{command} ended with status {status}; {_last_words(folder)}")
        if time.monotonic() > deadline:
            raise ServerStartError(f"{command} was not ready within {timeout_s:g} s; {_last_words(folder)}")
        time.sleep(0.005)


def serve(
    threads: int = 0,
    *,
    listen: str | None = None,
    options: Sequence[str] = (),
    timeout_s: float = 30.0,
) -> LocalServer:
    """Starts a server that ends with this process.

    Parameters
    ----------
    threads : int
        Worker threads of a batch that asks for 0; 0: the machine's processors.
    listen : str, optional
        ``unix:PATH`` or ``HOST:PORT``; None: a socket in a private folder.
    options : sequence of str
        More flags for planarium-server.
    timeout_s : float
        Seconds until it must be ready.

    Returns
    -------
    LocalServer
        A context manager; its ``address`` is what clients need.

    Raises
    ------
    ServerStartError
        No program, or it ended or hung; with the last lines of its log.

    Examples
    --------
    >>> with planarium.serve() as server:  # doctest: +SKIP
    ...     envs = planarium.make_vec("nav", 64, address=server.address)
    """
    binary = find_server()
    folder = _private_folder()
    command = [str(binary), "--listen", listen or f"unix:{folder / 'server.sock'}"]
    if threads:
        command += ["--threads", str(threads)]
    command += ["--exit-with-parent", *options]
    process: subprocess.Popen[bytes] | None = None
    try:
        with (folder / "stdout").open("wb") as out, (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=log, start_new_session=True
            )
        address = _wait_until_ready(process, folder, " ".join(command), timeout_s)
    except BaseException as error:
        if process is not None:
            _stop(process, folder, os.getpid())
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise ServerStartError(f"cannot run {binary}: {error.strerror}") from None
        raise
    return LocalServer(process, folder, address)


_shared: LocalServer | None = None
_shared_lock = threading.Lock()


def shared_server() -> LocalServer:
    """The server that everything without an address in this process uses, started when needed.

    A forked child goes on using its parent's.
    """
    global _shared
    with _shared_lock:
        if _shared is None or not _shared.running:
            _shared = serve()
            atexit.register(_shared.close)
        return _shared
