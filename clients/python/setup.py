"""Build steps that pyproject.toml cannot say: what the package takes from the rest of the source tree.

Into the built package go the compiled wire contract, the worlds, the path of the source tree (so that an
installed client can build the server), and the server's program when PLANARIUM_BUNDLE_SERVER names one.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import Any

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
SOURCE_ROOT = HERE.parents[1]
# Folders of the source tree that an sdist carries along.
CARRIED = ("proto", "worlds")
BUNDLED_SERVER = os.environ.get("PLANARIUM_BUNDLE_SERVER")


def find(folder: str) -> Path:
    """A folder of the source tree, or its copy in an unpacked sdist."""
    for parent in (SOURCE_ROOT, HERE):
        if (parent / folder).is_dir():
            return parent / folder
    raise FileNotFoundError(f"no folder {folder} in {SOURCE_ROOT} or {HERE}")


def load_compiler() -> Any:
    """The package's own compile step, loaded without the package."""
    path = HERE / "src" / "planarium" / "_compile_proto.py"
    spec = importlib.util.spec_from_file_location("planarium_compile_proto", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class BuildPy(build_py):  # type: ignore[misc]
    """Adds the generated files to the package."""

    def run(self) -> None:
        # Modules that no longer exist would be shipped from an earlier build.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if self.editable_mode:  # a source tree makes them itself
            return
        package = Path(self.build_lib) / "planarium"
        (package / "_proto").mkdir(parents=True, exist_ok=True)
        load_compiler().compile_proto(find("proto"), package / "_proto" / "planarium.binpb")
        (package / "worlds").mkdir(exist_ok=True)
        for world in sorted(find("worlds").glob("*.yaml")):
            shutil.copyfile(world, package / "worlds" / world.name)
        info = f'"""Generated when the package was built."""\n\nSOURCE_ROOT = {str(SOURCE_ROOT)!r}\n'
        (package / "_build_info.py").write_text(info, "utf-8")
        if BUNDLED_SERVER:
            (package / "_bin").mkdir(exist_ok=True)
            shutil.copy(BUNDLED_SERVER, package / "_bin" / "planarium-server")


class Sdist(sdist):  # type: ignore[misc]
    """Carries the contract and the worlds, which lie outside this folder."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        for folder in CARRIED:
            shutil.copytree(find(folder), Path(base_dir) / folder, dirs_exist_ok=True)


class PlatformDistribution(Distribution):  # type: ignore[misc]
    """A wheel with a program in it is for one platform."""

    def has_ext_modules(self) -> bool:
        return bool(BUNDLED_SERVER)


setup(cmdclass={"build_py": BuildPy, "sdist": Sdist}, distclass=PlatformDistribution)
