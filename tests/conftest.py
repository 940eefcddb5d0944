"""What all tests share: a cache of their own, the real files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
REALDATA_VARIABLE = "CONTEXT_INSPECTOR_REALDATA"


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
