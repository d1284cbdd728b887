"""Compiles the wire contract into a descriptor set; used by ``setup.py`` and from a source tree.

Imports nothing of the package, since ``setup.py`` loads this file on its own.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

PROTO_FILE = "planarium/v1/planarium.proto"


def compile_proto(proto_root: Path, output: Path) -> None:
    """Writes the FileDescriptorSet of the contract.

    Parameters
    ----------
    proto_root : Path
        Folder that holds ``planarium/v1/planarium.proto``.
    output : Path
        File to write; replaced at once, so that a reader never sees half of it.

    Raises
    ------
    RuntimeError
        Neither the Python package grpcio-tools nor the program protoc is there, or it failed.
    """
    partial = output.with_name(f".{output.name}.{id(output)}")
    arguments = [f"--proto_path={proto_root}", f"--descriptor_set_out={partial}", PROTO_FILE]
    try:
        from grpc_tools import protoc
    except ImportError:
        program = shutil.which("protoc")
        if program is None:
            raise RuntimeError(
                f"cannot compile {proto_root / PROTO_FILE}: install grpcio-tools or protoc"
            ) from None
        status = subprocess.run([program, *arguments], check=False).returncode
    else:
        status = protoc.main(["protoc", *arguments])
    if status != 0:
        raise RuntimeError(f"compiling {proto_root / PROTO_FILE} failed with status {status}")
    partial.replace(output)
