"""Reads every #include of the C++ code and holds it against the layers of docs/architecture.md.

Run by `python3 tests/layering_test.py` or by pytest.
"""

from __future__ import annotations

import re
import unittest
from typing import NamedTuple

from project_files import project_files, read

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

# Folder -> folders whose headers it may include beside its own.
LAYERS: dict[str, set[str]] = {
    "physics": set(),
    "sensors": {"physics"},
    "env": {"physics", "sensors"},
    "server": {"physics", "sensors", "env", "proto"},
    "clients": {"proto"},
    "benchmarks": {"physics", "sensors", "env", "server", "proto", "clients", "tests"},
    "tests": {"physics", "sensors", "env", "server", "proto", "clients", "benchmarks"},
}
# Tests and benchmarks may use anything; nothing else uses them.
FREE = {"tests", "benchmarks"}
LIBRARIES = ("physics/", "sensors/", "env/", "server/")
BELOW_SERVER = ("physics/", "sensors/", "env/")


class Rule(NamedTuple):
    """A header that only some places may include."""

    header: re.Pattern[str]
    allowed: re.Pattern[str]
    why: str


def rule(header: str, allowed: str, why: str) -> Rule:
    return Rule(re.compile(header), re.compile(allowed), why)


RULES = (
    rule(r"(oneapi/)?tbb/", r"env/parallel_for\.cc$", "oneTBB belongs to env/parallel_for.cc"),
    rule(r"yaml-cpp/", r"env/yaml/", "yaml-cpp belongs to env/yaml/"),
    rule(r"(grpcpp|grpc\+\+|grpc)/", r"(server|clients/cpp)/", "gRPC belongs to server/ and clients/cpp/"),
    rule(r"google/protobuf/|.*\.pb\.h$", r"(server|clients)/", "protobuf belongs to server/ and clients/"),
    rule(r"cairo", r"server/drawing\.cc$", "Cairo belongs to server/drawing.cc"),
    rule(r"spdlog/", r"server/", "logging belongs to server/; libraries return facts"),
    rule(r"CLI/", r"server/", "command-line options belong to server/"),
    rule(
        r"(thread|mutex|shared_mutex|condition_variable|future|barrier|latch|semaphore|stop_token)$",
        r"(env/parallel_for\.(h|cc)$|server/|clients/)",
        "threads and locks belong to env/parallel_for.cc and the layers above env/",
    ),
    rule(r"random$", r"(server|clients)/", "randomness is physics/random.h"),
)
# What physics/ may include in angle brackets: the standard library, Eigen and the CPU's intrinsics.
PHYSICS_SYSTEM = re.compile(r"([a-z_]+|Eigen/\w+|immintrin\.h|x86intrin\.h|cpuid\.h)$")


def target_folder(header: str, quoted: bool) -> str:
    """Folder of the project that a header belongs to, empty for foreign ones."""
    if header.startswith("planarium/v1/"):
        return "proto"
    first = header.partition("/")[0]
    return first if quoted and first in LAYERS and "/" in header else ""


def breaches_of_include(path: str, header: str, quoted: bool) -> list[str]:
    """What is wrong with one #include line of `path`."""
    folder = path.partition("/")[0]
    if folder not in LAYERS:
        return [f'{path}: "{folder}" is not a layer']
    found: list[str] = []
    target = target_folder(header, quoted)
    if target and target != folder and target not in LAYERS[folder]:
        found.append(f"{path}: includes {header}, but {folder}/ may not use {target}/")
    if folder in FREE:
        return found
    for entry in RULES:
        if entry.header.match(header) and not entry.allowed.match(path):
            found.append(f"{path}: includes {header}; {entry.why}")
    if header == "iostream" and path.startswith(LIBRARIES) and path != "server/main.cc":
        found.append(f"{path}: includes {header}; libraries return facts and print nothing")
    if folder == "physics" and not quoted and not PHYSICS_SYSTEM.match(header):
        found.append(f"{path}: includes {header}; physics/ knows Eigen and the standard library only")
    return found


def breaches(files: dict[str, str]) -> list[str]:
    """All breaches in `files` (path relative to the repository root -> text)."""
    return [
        breach
        for path, text in files.items()
        for mark, header in INCLUDE.findall(text)
        for breach in breaches_of_include(path, header, mark == '"')
    ]


class LayeringTest(unittest.TestCase):
    def test_the_tree_keeps_its_layers(self) -> None:
        files = {name: read(name) for name in project_files(".h", ".cc")}
        self.assertGreater(len(files), 20)
        self.assertEqual(breaches(files), [])

    def test_planted_breaches_are_found(self) -> None:
        planted = {
            "physics/a.h": '#include "sensors/sensor.h"',
            "sensors/b.cc": '#include "env/task.h"',
            "env/c.cc": '#include "server/session.h"',
            "env/d.cc": '#include "planarium/v1/planarium.pb.h"',
            "server/e.cc": '#include "clients/cpp/client.h"',
            "clients/cpp/f.cc": '#include "env/task.h"',
            "env/g.cc": '#include "tests/testing/world.h"',
            "server/h.cc": '#include "benchmarks/scenes.h"',
            "env/vector_env.cc": "#include <tbb/parallel_for.h>",
            "server/i.cc": "#include <oneapi/tbb/task_arena.h>",
            "env/scenario_loader.cc": "#include <yaml-cpp/yaml.h>",
            "env/j.cc": "#include <grpcpp/grpcpp.h>",
            "server/service.cc": "#include <cairo.h>",
            "env/k.cc": "#include <spdlog/spdlog.h>",
            "env/l.cc": "#include <google/protobuf/message.h>",
            "sensors/m.cc": "  #  include <iostream>",
            "env/n.cc": "#include <mutex>",
            "env/o.cc": "#include <random>",
            "physics/p.cc": "#include <fmt/format.h>",
            "stray/q.cc": "#include <vector>",
        }
        for path, text in planted.items():
            with self.subTest(path=path):
                self.assertTrue(breaches({path: text}), f"{text} in {path} went unnoticed")

    def test_permitted_includes_pass(self) -> None:
        permitted = {
            "physics/a.cc": '#include <vector>\n#include <Eigen/Core>\n#include <immintrin.h>\n#include "physics/types.h"',
            "sensors/b.cc": '#include "physics/ray_caster.h"',
            "env/parallel_for.cc": "#include <tbb/task_arena.h>\n#include <thread>",
            "env/yaml/document.cc": "#include <yaml-cpp/yaml.h>",
            "server/service.cc": '#include <grpcpp/grpcpp.h>\n#include "env/vector_env.h"\n#include <mutex>',
            "server/drawing.cc": "#include <cairo.h>",
            "server/main.cc": "#include <iostream>",
            "clients/cpp/client.cc": '#include "planarium/v1/planarium.grpc.pb.h"',
            "tests/env/a_test.cc": '#include <iostream>\n#include "server/codec.h"\n#include "benchmarks/scenes.h"',
        }
        self.assertEqual(breaches(permitted), [])


if __name__ == "__main__":
    unittest.main()
