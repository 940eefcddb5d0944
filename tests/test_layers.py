"""The one rule of imports, the only-importer table, the names and the sizes of files (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Each part may import the parts of the rows above its own, never a part of its own row or below.
ORDER: tuple[frozenset[str], ...] = (
    frozenset({"snapshot_sdk"}),
    frozenset({"inspector", "inspector.errors"}),
    frozenset({"inspector.model"}),
    frozenset({"inspector.index", "inspector.importers", "inspector.proxy", "inspector.analysis", "sample_data"}),
    frozenset({"inspector.probes"}),
    frozenset({"inspector.fixtures"}),  # a fixture takes along the probes that were drafted
    frozenset({"inspector.gate"}),
    frozenset({"inspector.figures"}),
    frozenset({"inspector.ui", "inspector.cli"}),
    frozenset({"inspector.app", "inspector.__main__"}),
)
RANK = {part: rank for rank, parts in enumerate(ORDER) for part in parts}

# Importers and the sample generator bring their own clock and ids; the rest of what begins with _ is the SDK's.
SDK_PRIVATE_SEAM = "snapshot_sdk._seam"
PRIVATE = re.compile(r"\._(?!_)")

ONLY_IMPORTERS: dict[str, frozenset[str]] = {
    "duckdb": frozenset({"inspector.index"}),
    "streamlit": frozenset({"inspector.ui", "inspector.app"}),
    "plotly": frozenset({"inspector.figures", "inspector.ui"}),
    "uvicorn": frozenset({"inspector.proxy"}),
    "httpx2": frozenset({"inspector.proxy", "inspector.probes"}),  # of the probes, only files named replay_*
}

IMPORTED_AS = {"PyYAML": "yaml"}
"""Distribution → package, where their names differ."""

LOADED_BY = {"snapshot_sdk/pytest_plugin.py": "pytest", "snapshot_sdk/_pytest_items.py": "pytest"}
"""File of the SDK → the program that loads it, and no other file does: what it imports is there."""

NETWORK = frozenset({"socket", "ssl", "http", "urllib.request", "requests", "httpx", "httpx2", "aiohttp"})
MAX_LINES = 400  # a file holds one idea; the style guide's own limit


def part_of(module: str) -> str | None:
    """Return the part of the project that ``module`` belongs to; None for a module of somebody else."""
    names = module.split(".")
    if names[0] in ("snapshot_sdk", "sample_data"):
        return names[0]
    return ".".join(names[:2]) if names[0] == "inspector" else None


def module_name(root: Path, file: Path) -> str:
    """Return the dotted name of a file below ``root``."""
    names = file.relative_to(root).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def imports_of(root: Path, file: Path) -> Iterator[tuple[int, str]]:
    """Yield line and absolute name of everything a file imports, wherever in the file it stands."""
    package = module_name(root, file).split(".")
    if file.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(file.read_text("utf-8"), str(file))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from inspector import ui` imports a part, `from inspector.model import layers` a module of one.
                yield node.lineno, f"{stem}.{alias.name}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("__import__", "importlib.import_module"):
            for argument in node.args[:1]:
                name = argument.value if isinstance(argument, ast.Constant) else None
                yield node.lineno, name if isinstance(name, str) else "a name made at run time"


def sources(root: Path) -> Iterator[Path]:
    """Yield the Python files of the three packages."""
    for package in ("snapshot_sdk", "inspector", "sample_data"):
        yield from sorted((root / package).rglob("*.py"))


def import_violations(root: Path) -> list[str]:
    """Return a line for each import that goes the wrong way."""
    found = []
    for file in sources(root):
        own = part_of(module_name(root, file))
        assert own is not None
        if own not in RANK:
            found.append(f"{file.relative_to(root)}: {own} has no place in the order of imports")
            continue
        for line, name in imports_of(root, file):
            reason = None if is_loader(root, file, name) else forbidden(own, name)
            if reason:
                found.append(f"{file.relative_to(root)}:{line}: {name}: {reason}")
    return found


def is_loader(root: Path, file: Path, name: str) -> bool:
    """Return whether ``name`` is of the program that loads ``file``."""
    return LOADED_BY.get(file.relative_to(root).as_posix()) == name.split(".")[0]


def forbidden(own: str, name: str) -> str | None:
    """Return why part ``own`` must not import ``name``; None where it may."""
    target, top = part_of(name), name.split(".")[0]
    if own == "snapshot_sdk" and top != "snapshot_sdk" and top not in sys.stdlib_module_names:
        return "the SDK uses the standard library only"
    if top in ONLY_IMPORTERS and own not in ONLY_IMPORTERS[top]:
        return f"only {', '.join(sorted(ONLY_IMPORTERS[top]))} may"
    if own == "inspector.analysis" and any(name == n or name.startswith(f"{n}.") for n in NETWORK):
        return "analysis knows no network"
    if target in (None, own):
        return None
    if target not in RANK:
        # `from inspector import something`: a plain name of inspector/__init__.py, or an unknown part.
        target = "inspector"
    if (
        target == "snapshot_sdk"
        and re.search(r"\._(?!_)", name)
        and name != SDK_PRIVATE_SEAM
        and not name.startswith(f"{SDK_PRIVATE_SEAM}.")
    ):
        return "private to the SDK"
    if own == "inspector.app" and target == "inspector.__main__":
        return "the two entries do not know each other"
    if RANK[target] >= RANK[own]:
        return f"{own} stands before or beside {target}"
    return None


def declared(root: Path) -> set[str]:
    """Return the packages that the extra ``[inspector]`` declares, by the names they are imported under."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.split(r"[^\w.-]", line)[0] for line in project["optional-dependencies"]["inspector"]]
    return {IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}


def undeclared_imports(root: Path) -> list[str]:
    """Return a line for each import of somebody else's package that no dependency of ours brings."""
    known = declared(root) | sys.stdlib_module_names | {"snapshot_sdk", "inspector", "sample_data"}
    return [
        f"{file.relative_to(root)}:{line}: {name}"
        for file in sources(root)
        for line, name in imports_of(root, file)
        if name.split(".")[0] not in known and not is_loader(root, file, name)
    ]


def name_violations(root: Path) -> list[str]:
    """Return modules right below ``inspector/`` that would shadow the standard library.

    ``streamlit run inspector/app.py`` puts ``inspector/`` at the head of ``sys.path``.
    """
    names = sorted(path for path in (root / "inspector").iterdir() if path.suffix == ".py" or path.is_dir())
    return [f"{path.relative_to(root)}" for path in names if path.stem in sys.stdlib_module_names]


def size_violations(root: Path) -> list[str]:
    """Return the Python, JavaScript and CSS files that are too long."""
    folders = ("snapshot_sdk", "inspector", "sample_data", "tests", "benchmarks")
    files = [f for folder in folders for f in sorted((root / folder).rglob("*")) if f.suffix in (".py", ".js", ".css")]
    lengths = [(f, len(f.read_text("utf-8").splitlines())) for f in files]
    return [f"{f.relative_to(root)}: {length} lines" for f, length in lengths if length > MAX_LINES]


def test_imports_point_one_way() -> None:
    """No file imports against the order, wherever in the file the import stands."""
    assert len(list(sources(ROOT))) > 3
    assert import_violations(ROOT) == []


def test_only_its_program_loads_a_plugin() -> None:
    """No file imports what a program loads: whoever has not that program can import everything else."""
    plugins = {name.removesuffix(".py").replace("/", ".") for name in LOADED_BY}
    found = {
        file.relative_to(ROOT).as_posix()
        for file in sources(ROOT)
        for _, name in imports_of(ROOT, file)
        if name.rpartition(".")[0] in plugins or name in plugins
    }
    assert found <= set(LOADED_BY)


def test_every_package_used_is_declared() -> None:
    """What is imported is a dependency by its own name, not one that another package happens to bring."""
    assert undeclared_imports(ROOT) == []


def test_an_undeclared_package_is_found(tmp_path: Path) -> None:
    """An import of a package that is not in the extra is reported; a declared one is not."""
    extra = '[project.optional-dependencies]\ninspector = ["click>=8.1,<9"]\n'
    files = {"pyproject.toml": extra, "inspector/cli/a.py": "import click\nimport json\ndef f():\n    import yaml\n"}

    assert undeclared_imports(plant(tmp_path, files)) == ["inspector/cli/a.py:4: yaml"]


def test_no_module_shadows_the_standard_library() -> None:
    """No module right below inspector/ is named after one of the standard library."""
    assert name_violations(ROOT) == []


def test_files_stay_short() -> None:
    """No source file is longer than the limit."""
    assert size_violations(ROOT) == []


BAD_FILES = {
    "snapshot_sdk/a.py": "def f():\n    import requests\n",
    "snapshot_sdk/b.py": "from inspector.model import layers\n",
    "snapshot_sdk/testing.py": "import pytest\n",
    "snapshot_sdk/_pytest_items.py": "import xdist\n",
    "inspector/model/a.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from inspector.index import open_index\n"
    ),
    "inspector/model/b.py": "from ..ui import state\n",
    "inspector/analysis/a.py": "import duckdb\n",
    "inspector/analysis/b.py": "from inspector import index\n",
    "inspector/analysis/c.py": "import urllib.request\n",
    "inspector/index/a.py": "from inspector.analysis.story import tell_story\n",
    "inspector/index/b.py": "import streamlit as st\n",
    "inspector/figures/a.py": "import importlib\nimportlib.import_module('inspector.ui.state')\n",
    "inspector/ui/a.py": "from inspector.cli import main\n",
    "inspector/cli.py": "import inspector.ui.state\n",
    "inspector/importers/a.py": "from snapshot_sdk._writer import Writer\n",
    "inspector/importers/b.py": "import httpx2\n",
    "inspector/proxy/a.py": "from inspector.importers import base\n",
    "inspector/proxy/b.py": "from snapshot_sdk.adapters._exchange import begin\n",
    "inspector/probes/a.py": "from inspector.fixtures import export\n",
    "inspector/elsewhere/a.py": "\n",
    "sample_data/a.py": "from inspector.figures import theme\n",
}

GOOD_FILES = {
    "snapshot_sdk/a.py": "import json\nfrom .schema import Blob\nfrom snapshot_sdk import canonical, __version__\n",
    "snapshot_sdk/_pytest_items.py": "import pytest\n",
    "inspector/model/a.py": "from snapshot_sdk.schema import Blob\nfrom inspector.errors import InspectorError\n",
    "inspector/index/a.py": "import duckdb\nfrom inspector.model.views import CallRow\nfrom . import b\n",
    "inspector/importers/a.py": "from snapshot_sdk._seam import Seam\nfrom inspector import __version__\n",
    "inspector/analysis/a.py": "from inspector.model.views import CallRow\nfrom urllib.parse import quote\n",
    "inspector/proxy/a.py": "import uvicorn\nimport httpx2\nfrom snapshot_sdk.gateway import begin\n",
    "inspector/ui/a.py": "import streamlit as st\nimport plotly\nfrom inspector.figures import theme\n",
    "inspector/app.py": "import streamlit as st\nfrom inspector.ui import state\n",
    "sample_data/a.py": "import snapshot_sdk\n",
}


def plant(root: Path, files: dict[str, str]) -> Path:
    """Write a made-up tree."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


@pytest.mark.parametrize("name", BAD_FILES)
def test_an_import_against_the_order_is_found(name: str, tmp_path: Path) -> None:
    """Each planted violation is reported, with file and reason."""
    found = import_violations(plant(tmp_path, {name: BAD_FILES[name]}))

    assert [line.split(":")[0] for line in found] == [name]


def test_an_import_along_the_order_is_no_violation(tmp_path: Path) -> None:
    """What the rule allows is not reported."""
    assert import_violations(plant(tmp_path, GOOD_FILES)) == []


def test_a_bad_name_and_a_long_file_are_found(tmp_path: Path) -> None:
    """The checks of names and sizes report what is planted, and only that."""
    files = {"inspector/statistics.py": "", "inspector/types/x.py": "", "inspector/ui/types.py": ""}
    files |= {"inspector/ui/a.js": "\n" * (MAX_LINES + 1), "inspector/ui/b.css": "\n" * MAX_LINES}
    plant(tmp_path, files)

    assert name_violations(tmp_path) == ["inspector/statistics.py", "inspector/types"]
    assert size_violations(tmp_path) == [f"inspector/ui/a.js: {MAX_LINES + 1} lines"]
