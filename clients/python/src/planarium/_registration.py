"""Gymnasium ids of the packaged worlds.

``import planarium`` registers them, without loading Gymnasium: when it is loaded already, at once, else
when it is. So the order of the two imports does not matter, and neither slows the other down.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

# id: (packaged world, steps of an episode as in its task file)
REGISTERED: dict[str, tuple[str, int]] = {"planarium/Nav-v0": ("nav", 500)}

_FRAMEWORK = "gymnasium"


def register_envs() -> None:
    """Registers the ids of this package with Gymnasium; those already there stay."""
    from gymnasium.envs import registration

    for name, (world, max_episode_steps) in REGISTERED.items():
        if name in registration.registry:
            continue
        registration.register(
            id=name,
            entry_point="planarium:Env",
            vector_entry_point="planarium:VectorEnv",
            max_episode_steps=max_episode_steps,
            kwargs={"scenario": world},
        )


class _LoaderThatRegisters(importlib.abc.Loader):
    """Loads Gymnasium as its own loader does, then registers."""

    def __init__(self, loader: importlib.abc.Loader) -> None:
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # Leave no trace: what asks for the loader later gets the real one.
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        register_envs()


class _WaitForGymnasium(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _FRAMEWORK:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        spec.loader = _LoaderThatRegisters(spec.loader)
        return spec


def register_when_loaded() -> None:
    """Registers now when Gymnasium is loaded, else as soon as it is."""
    module = sys.modules.get(_FRAMEWORK)
    if module is None:
        if not any(isinstance(finder, _WaitForGymnasium) for finder in sys.meta_path):
            sys.meta_path.insert(0, _WaitForGymnasium())
    elif hasattr(module, "register"):
        register_envs()
