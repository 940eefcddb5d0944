"""The scripts of the components keep the rules that make text of traces harmless."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.ui import components

FOLDER = Path(components.__file__).parent
SCRIPTS = sorted(FOLDER.glob("*.js"))
NAMES = [path.stem for path in SCRIPTS if "export default" in path.read_text("utf-8")]
FORBIDDEN = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment"
REMOTE = r"https?://(?!www\.w3\.org/)|@import|\bfetch\(|XMLHttpRequest|WebSocket|\bimport\("


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_makes_markup_of_text(script: Path) -> None:
    """Text goes into text nodes and canvases only."""
    assert re.search(FORBIDDEN, script.read_text("utf-8")) is None


@pytest.mark.parametrize("file", sorted([*SCRIPTS, *FOLDER.glob("*.css")]), ids=lambda path: path.name)
def test_nothing_is_fetched(file: Path) -> None:
    """Scripts and style sheets name no address outside the app."""
    assert re.search(REMOTE, file.read_text("utf-8")) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_component_is_one_module(name: str) -> None:
    """Palette, shared functions and parts come first, and there is one default export."""
    script = components.script(name)

    assert script.startswith("const PALETTE = {")
    assert script.count("export default") == 1
    assert script.index("function runComponent") < script.index("export default")
    assert components.style(name).startswith("/* Before each component's own rules.")


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_declared_twice(name: str) -> None:
    """Parts of a module share one scope: a second `const x` would stop the whole script."""
    declared = re.findall(r"^(?:async )?(?:const|let|class|function\*?) (\w+)", components.script(name), re.MULTILINE)

    assert sorted(declared) == sorted(set(declared))


def test_parts_of_a_component_belong_to_it() -> None:
    """Each script without a default export is a part of one that has it, or the shared one."""
    parts = [path.stem for path in SCRIPTS if path.stem not in NAMES and path.stem.split("_")[0] != "common"]

    assert [part for part in parts if part.split("_")[0] not in NAMES] == []
