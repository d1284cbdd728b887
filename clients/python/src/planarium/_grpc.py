"""gRPC, imported so that the process may fork afterwards. Other modules take `grpc` from here."""

from __future__ import annotations

import os
import sys

# gRPC reads this when its first module is loaded. Without it a forked child that makes a channel of
# its own hangs as soon as the parent has used one, and AsyncVectorEnv forks exactly like that.
_VARIABLE = "GRPC_ENABLE_FORK_SUPPORT"
_came_first = "grpc" in sys.modules and _VARIABLE not in os.environ
os.environ.setdefault(_VARIABLE, "1")

import grpc  # noqa: E402

FORK_SAFE = not _came_first and os.environ[_VARIABLE].lower() in ("1", "true", "yes", "y", "on")

__all__ = ["FORK_SAFE", "grpc"]
