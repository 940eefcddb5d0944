"""The built wheel: what is in it, and what it does in an environment of its own."""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from sample_data.generate import SCENARIOS

pytestmark = [pytest.mark.wheel, pytest.mark.xdist_group("wheel")]

ROOT = Path(__file__).parent.parent
FROM_INDEX = "CI_WHEEL_FROM_INDEX"
"""Set: the extra is installed from the package index. Unset: its packages are lent from this environment, and only
they: what the tests or a developer need besides stays out of sight."""


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it."""

    python: Path
    folder: Path
    """Working directory far away from the checkout."""
    lent: dict[str, str]
    """Environment variables that make the packages of the extra importable."""

    def run(self, *arguments: str, extra: bool = True) -> subprocess.CompletedProcess[bytes]:
        """Run the environment's Python."""
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | (self.lent if extra else {})
        return subprocess.run(
            [self.python, *arguments], cwd=self.folder, env=environment, capture_output=True, timeout=120, check=False
        )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(out.glob("*.whl"))


def environment(folder: Path, *requirements: str) -> Path:
    """Make a virtual environment with requirements; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    # Only what the tests import needs to be compiled, and Python does that itself.
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-compile", *requirements], check=True)
    return python


@pytest.fixture(scope="module")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel alone; ``--no-index``: a dependency would make this fail."""
    folder = tmp_path_factory.mktemp("base")
    return Installed(environment(folder / "venv", "--no-index", str(wheel)), folder, {})


@pytest.fixture(scope="module")
def full(wheel: Path, base: Installed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Have the wheel with its extra."""
    if os.environ.get(FROM_INDEX):
        folder = tmp_path_factory.mktemp("full")
        return Installed(environment(folder / "venv", f"{wheel}[inspector]"), folder, {})
    # A folder on PYTHONPATH lends its packages, but its .pth files are not read: the checkout stays out of sight.
    lent = tmp_path_factory.mktemp("lent")
    site = Path(sysconfig.get_path("purelib"))
    for name in sorted(packages_of_the_extra(wheel)):
        for top in {file.parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}:
            if (site / top).exists() and not (lent / top).exists():
                (lent / top).symlink_to(site / top)
    return Installed(base.python, base.folder, {"PYTHONPATH": str(lent)})


def packages_of_the_extra(wheel: Path) -> set[str]:
    """Return the packages that ``[inspector]`` brings, and what they bring in turn."""
    papers = zipfile.ZipFile(wheel)
    metadata = papers.read(next(name for name in papers.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    wanted = [Requirement(line) for line in email.message_from_string(metadata).get_all("Requires-Dist") or ()]
    found: set[str] = set()
    queue = [(requirement, "inspector") for requirement in wanted]
    while queue:
        requirement, extra = queue.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        if requirement.name in found and not requirement.extras:
            continue
        found.add(requirement.name)
        needs = [Requirement(line) for line in distribution(requirement.name).requires or ()]
        queue += [(need, extra) for need in needs for extra in (requirement.extras or {""})]
    return found


def test_it_holds_what_is_no_python(wheel: Path) -> None:
    """Components, the Streamlit configuration, the samples and the type markers are in the wheel."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    beside = [
        path.relative_to(ROOT).as_posix()
        for package in ("inspector", "sample_data", "snapshot_sdk")
        for pattern in ("*.js", "*.css", "*.toml", "*.jsonl", "*.typed", "*.md")
        for path in (ROOT / package).rglob(pattern)
    ]

    assert "inspector/.streamlit/config.toml" in beside
    assert len([name for name in beside if name.endswith(".jsonl")]) >= 3
    assert {Path(name).suffix for name in beside} >= {".js", ".css", ".jsonl"}
    assert [name for name in beside if name not in inside] == []


def test_it_holds_nothing_else(wheel: Path) -> None:
    """Only the three packages and the wheel's own papers are in the wheel; no index, no bytecode."""
    inside = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in inside}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"inspector", "sample_data", "snapshot_sdk"}
    assert [name for name in inside if name.endswith((".pyc", ".duckdb")) or ".inspector/" in name] == []


def test_the_base_install_needs_nothing(base: Installed) -> None:
    """Without the extra nothing but the package and pip is installed."""
    listed = base.run("-m", "pip", "list", "--format", "json", extra=False)

    assert {p["name"] for p in json.loads(listed.stdout)} <= {"context-inspector", "pip", "setuptools"}


def test_the_sdk_works_alone(base: Installed) -> None:
    """The base install records a call and reads it back."""
    program = (
        "import snapshot_sdk, pathlib\n"
        "with snapshot_sdk.Recorder('t', session='s') as recorder:\n"
        "    recorder.snapshot({'model': 'm', 'messages': [{'role': 'user'}]})\n"
        "file = next(pathlib.Path('t').rglob('*.jsonl'))\n"
        "print([stored.body() for _, stored in snapshot_sdk.read_requests(file)], snapshot_sdk.__file__)\n"
    )
    done = base.run("-c", program, extra=False)

    assert done.returncode == 0, done.stderr
    assert b"[{'model': 'm', 'messages': [{'role': 'user'}]}]" in done.stdout
    assert str(base.folder).encode() in done.stdout


def test_the_command_line_says_what_is_missing(base: Installed) -> None:
    """Without the extra the command line names the packages and how to get them, without a traceback."""
    done = base.run("-m", "inspector", "sessions", ".", extra=False)

    assert done.returncode == 7
    assert b"pip install 'context-inspector[inspector]'" in done.stderr
    assert b"Traceback" not in done.stderr


def test_the_command_line_reads_the_samples(full: Installed) -> None:
    """Installed with its extra, the command line lists the shipped samples from the wheel itself."""
    where = full.run("-c", "import sample_data; print(sample_data.TRACES)")
    samples = where.stdout.decode().strip()
    done = full.run("-m", "inspector", "sessions", samples, "--json")

    assert samples.startswith(str(full.folder))
    assert done.returncode == 0, done.stderr
    assert {row["session"] for row in json.loads(done.stdout)} == {scenario.SESSION for scenario in SCENARIOS}


def test_the_extra_brings_no_tool_of_ours(full: Installed) -> None:
    """What follows runs with the packages of the extra alone: pytest, say, cannot be imported."""
    assert full.run("-c", "import duckdb, tomlkit").returncode == 0
    assert b"ModuleNotFoundError" in full.run("-c", "import pytest").stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("index", "{}"),
        ("show", "{}", "order-4711", "1"),
        ("diff", "{}", "order-4711:1", "order-4711:2"),
        ("lifelines", "{}", "order-4711"),
        ("sql", "{}", "select count(*) from calls"),
    ],
)
def test_every_kind_of_command_runs(full: Installed, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Nothing that a command imports on its way is missing from the extra."""
    where = full.run("-c", "import sample_data; print(sample_data.TRACES)").stdout.decode().strip()
    traces = shutil.copytree(where, tmp_path / "traces")
    done = full.run("-m", "inspector", *(argument.format(traces) for argument in arguments))

    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout


def test_the_app_finds_its_parts(full: Installed) -> None:
    """Installed with its extra, the app draws its first page on the samples without an exception."""
    program = (
        "import sys, importlib.resources as r\n"
        "from streamlit.testing.v1 import AppTest\n"
        "sys.argv = ['app.py']\n"
        "app = AppTest.from_file(str(r.files('inspector') / 'app.py'), default_timeout=60).run()\n"
        "assert not app.exception, app.exception\n"
        "print(r.files('inspector'))\n"
    )
    done = full.run("-c", program)

    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().strip().startswith(str(full.folder))
