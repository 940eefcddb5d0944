"""Facts about what the probes import."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "inspector" / "probes"


def imported(file: Path) -> set[str]:
    """Names of the modules a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_only_replay_files_touch_the_network() -> None:
    """By their names one knows."""
    network = {"httpx2", "socket", "ssl", "http", "urllib.request"}
    using = {file.name for file in FOLDER.glob("*.py") if imported(file) & network}

    assert using == {"replay_client.py"}


def test_probes_know_neither_index_nor_screen() -> None:
    """They get values and give values."""
    allowed = ("inspector.model", "inspector.analysis", "inspector.probes", "inspector.errors", "snapshot_sdk")
    names = {
        name for file in FOLDER.glob("*.py") for name in imported(file) if name.startswith(("inspector", "snapshot"))
    }

    assert {name for name in names if not name.startswith(allowed)} == set()
