"""What a result was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def cpu_model() -> str:
    """Name of the processor as the kernel gives it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def describe() -> dict[str, str | int | float]:
    """Processor, cores, load and software: printed beside every figure."""
    return {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "load_1min": round(os.getloadavg()[0], 2),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }
