"""Message classes of ``planarium.v1``, made when first used from a descriptor set.

No generated ``_pb2`` module is shipped: generated code is tied to a range of protobuf versions, and
it would stand in the process-wide descriptor pool beside that of other packages. The classes here come
from a private pool and work with every protobuf from 3.20 on.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from planarium._compile_proto import PROTO_FILE, compile_proto
from planarium._source import own_tree

PACKAGE = "planarium.v1"
SERVICE = f"/{PACKAGE}.Planarium/"
PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 0

_PACKAGED = Path(__file__).resolve().parent / "_proto" / "planarium.binpb"


def _descriptor_set() -> bytes:
    """Serialised FileDescriptorSet: the packaged one, in a source tree the compiled contract."""
    root = own_tree()
    if root is None:
        return _PACKAGED.read_bytes()
    source = root / "proto" / PROTO_FILE
    if _PACKAGED.is_file() and _PACKAGED.stat().st_mtime >= source.stat().st_mtime:
        return _PACKAGED.read_bytes()
    try:
        _PACKAGED.parent.mkdir(exist_ok=True)
        compile_proto(root / "proto", _PACKAGED)
        return _PACKAGED.read_bytes()
    except OSError:  # a tree that cannot be written to
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / _PACKAGED.name
            compile_proto(root / "proto", output)
            return output.read_bytes()


class _Messages:
    """Attribute access to message classes: ``pb.StepRequest(...)``."""

    def __init__(self) -> None:
        self._pool: Any = None

    def pool(self) -> Any:
        """Private descriptor pool that holds the contract."""
        if self._pool is None:
            files = descriptor_pb2.FileDescriptorSet.FromString(_descriptor_set())
            pool = descriptor_pool.DescriptorPool()
            for file in files.file:
                pool.AddSerializedFile(file.SerializeToString())
            self._pool = pool
        return self._pool

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            descriptor = self.pool().FindMessageTypeByName(f"{PACKAGE}.{name}")
        except KeyError:
            raise AttributeError(f"{PACKAGE} has no message {name}") from None
        make: Any = getattr(message_factory, "GetMessageClass", None)
        if make is None:  # protobuf before 4.22
            factory: Any = message_factory.MessageFactory(self.pool())
            make = factory.GetPrototype
        cls = make(descriptor)
        setattr(self, name, cls)
        return cls


pb = _Messages()
