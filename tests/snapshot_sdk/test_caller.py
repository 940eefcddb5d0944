"""The caller is the nearest line of the user's own code."""

from __future__ import annotations

import functools
import re
import sysconfig
from pathlib import Path

from snapshot_sdk._caller import _shorten, find_caller


def test_own_code_is_named_by_two_components_and_line() -> None:
    """This file, this line."""
    line = test_own_code_is_named_by_two_components_and_line.__code__.co_firstlineno + 3
    assert find_caller() == f"snapshot_sdk/test_caller.py:{line}"


def test_the_standard_library_is_passed_over() -> None:
    """A call through functools or a regex callback names the code behind it."""
    found = []
    re.sub("a", lambda match: found.append(functools.partial(find_caller)()) or "", "a")
    assert found[0] is not None
    assert found[0].startswith("snapshot_sdk/test_caller.py:")


def test_libraries_are_nobody() -> None:
    """Installed packages, the standard library and generated code are not the user's."""
    stdlib = sysconfig.get_path("stdlib")
    assert _shorten(f"{stdlib}/json/decoder.py") is None
    assert _shorten("/x/site-packages/openai/_client.py") is None
    assert _shorten("<string>") is None
    assert _shorten("/home/u/shop/agent/memory.py") == "agent/memory.py"
    assert _shorten(str(Path("main.py"))) == "main.py"
