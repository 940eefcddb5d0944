"""What several parts' tests share: an index of a directory, a model server that answers from what it is asked."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # some tests of exported fixtures run in an environment without the index
    from inspector.index import Index


@functools.cache
def _model_server() -> Any:
    """Read ``probes/model_server.py``: the tests are no package."""
    file = Path(__file__).parent / "probes" / "model_server.py"
    spec = importlib.util.spec_from_file_location("probe_model_server", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for the module of their class
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def server() -> Iterator[Any]:
    """A model server; its ``model`` says how it reads and what goes wrong."""
    server = _model_server().serve()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def failure() -> Callable[..., Any]:
    """Makes what the server does instead of answering."""
    return _model_server().Failure  # type: ignore[no-any-return]


@pytest.fixture
def opened() -> Iterator[Callable[[Path], Index]]:
    """Opens the index of a directory, read to the end."""
    from inspector.index import open_index

    indexes: list[Index] = []

    def make(directory: Path) -> Index:
        index = open_index(directory)
        indexes.append(index)
        index.refresh()
        return index

    yield make
    for index in indexes:
        index.close()
