"""Does something to a library: at once if it is imported, else when the agent imports it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from types import ModuleType


class WhenImported(importlib.abc.MetaPathFinder):
    """Calls a function with each of some modules. Imports none; finds modules only to be told of them."""

    def __init__(self, names: Collection[str], then: Callable[[ModuleType], None]) -> None:
        """Keeps what is wanted; :meth:`begin` begins.

        Args:
            names: Full names of modules.
            then: Is called once with each, after its code has run.
        """
        self._names = names
        self._then = then
        self._looking = threading.local()

    def begin(self) -> None:
        """Calls the function with the modules that are there, and from now on with those that come."""
        sys.meta_path.insert(0, self)
        for name in self._names:
            if name in sys.modules:
                self._then(sys.modules[name])

    def end(self) -> None:
        """Looks no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Finds a module as it would have been found, and calls the function once it is there."""
        if fullname not in self._names or getattr(self._looking, "now", False):
            return None
        self._looking.now = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._looking.now = False
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                self._then(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
