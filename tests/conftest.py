"""What all tests share: a cache of their own, the real files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
REALDATA_VARIABLE = "CONTEXT_INSPECTOR_REALDATA"
STEPS = {"browser": "tests/browser/", "wheel": "tests/test_wheel.py", "model": "tests/inspector/probes/"}
"""Where ``.ci/run`` looks for the tests of a step of its own: it would not run one that stands elsewhere."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a test that no step of the whole check would run."""
    for item in items:
        for mark, place in STEPS.items():
            if item.get_closest_marker(mark) and not item.path.relative_to(ROOT).as_posix().startswith(place):
                raise pytest.UsageError(f"{item.nodeid} is marked {mark!r}: .ci/run runs those of {place} only")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep vocabularies and the index of the samples out of the developer's own cache directory."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        yield cache


@pytest.fixture(scope="session")
def realdata() -> Path:
    """Return the directory of the shared real files; they are never part of the repository."""
    directory = Path(os.environ.get(REALDATA_VARIABLE) or ROOT.parent / "shared" / "realdata")
    if not directory.is_dir():
        pytest.skip(f"no real files: {directory} is absent (set {REALDATA_VARIABLE})")
    return directory
