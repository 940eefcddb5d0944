"""The package as a whole: what it exports, what it imports, which version it is."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import snapshot_sdk

ROOT = Path(snapshot_sdk.__file__).parent


def test_all_is_sorted_and_complete() -> None:
    """``__all__`` names what the package exports, and nothing else is public but modules."""
    own = {"annotations", "Any", "Final", "TYPE_CHECKING"}
    names = {
        name
        for name in dir(snapshot_sdk)
        if not name.startswith("_") and not isinstance(getattr(snapshot_sdk, name), type(sys)) and name not in own
    }
    assert snapshot_sdk.__all__ == sorted(snapshot_sdk.__all__)
    assert set(snapshot_sdk.__all__) - {"__version__"} == names


def test_only_the_standard_library_is_imported() -> None:
    """No module of the SDK imports anything that is not in Python or in the SDK."""
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                imported = [node.module or ""]
            tops = {name.split(".")[0] for name in imported}
            loader = {"pytest"} if path.name in ("pytest_plugin.py", "_pytest_items.py") else set()  # pytest loads them
            assert tops <= sys.stdlib_module_names | {"snapshot_sdk"} | loader, path.name


def test_names_are_imported_when_they_are_asked_for() -> None:
    """The package alone imports next to nothing; every name is there, and what is not is told as ever."""
    code = (
        "import sys, snapshot_sdk\n"
        "print(sorted(name for name in sys.modules if name.startswith('snapshot_sdk.')))\n"
        "assert all(getattr(snapshot_sdk, name) for name in snapshot_sdk.__all__)\n"
        "assert snapshot_sdk.reading.read_requests is snapshot_sdk.read_requests\n"
        "try:\n    snapshot_sdk.nothing\nexcept AttributeError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "['snapshot_sdk._version']",
        "module 'snapshot_sdk' has no attribute 'nothing'",
    ], done.stderr


def test_it_runs_without_site_packages(tmp_path: Path) -> None:
    """An interpreter that has nothing installed records and reads."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import snapshot_sdk, pathlib\n"
        "r = snapshot_sdk.Recorder(sys.argv[2], session='s'); r.snapshot({'messages': [1]}); r.close()\n"
        "p, = pathlib.Path(sys.argv[2]).rglob('*.jsonl')\n"
        "print([q.body() for _, q in snapshot_sdk.read_requests(p)], r.losses)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT.parent), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("[{'messages': [1]}] 0", "")


def test_the_version_is_that_of_the_project() -> None:
    """Headers name the version that was installed."""
    project = ROOT.parent / "pyproject.toml"
    if not project.exists():
        pytest.skip("installed without the project's sources")
    assert snapshot_sdk.__version__ == tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
