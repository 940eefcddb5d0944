"""What the pytest plugin collects: a fixture file, and an item for each of its checks."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_checks import run_check
from snapshot_sdk._fixture_checks_words import visible
from snapshot_sdk._fixture_file import read_fixture
from snapshot_sdk._fixture_prompt import Prompt
from snapshot_sdk._fixture_settings import ProjectSettings, check_callable_name, find_callable
from snapshot_sdk._fixture_values import FIXTURE_FORMAT, Check, Fixture
from snapshot_sdk.errors import FixtureError, SettingsError

_UNREADABLE: Final = "fixture"
"""Name of the one item of a file that has no checks to run."""

_SDK: Final = Path(__file__).parent
_HIDDEN: Final = tuple(Path(sys.modules[name].__file__ or "").parent for name in ("_pytest", "pluggy", __name__))
"""Folders whose frames say nothing of why a builder failed."""


@dataclass(frozen=True)
class Plan:
    """What is tested, and with what."""

    folders: tuple[Path, ...]
    builder: str | None
    """``module:function``."""
    agent: str | None
    """Likewise; None where a builder is named."""
    where: str
    """Who names them."""
    root: Path
    """Folder in which they are looked for."""

    def holds(self, file: Path) -> bool:
        """Tells whether a file is in one of the folders.

        Args:
            file: Its path.
        """
        return any(file.is_relative_to(folder) for folder in self.folders)

    def sentence(self, root: Path) -> str:
        """Says it in one line.

        Args:
            root: Paths below it are shown from there.
        """
        shown = [str(one.relative_to(root)) if one.is_relative_to(root) else str(one) for one in self.folders]
        names = ", ".join(
            name if folder.is_dir() else f"{name} (there is no such folder)"
            for name, folder in zip(shown, self.folders, strict=True)
        )
        if self.builder is not None:
            return f"fixtures in {names}; prompts made by the builder {self.builder} ({self.where})"
        if self.agent is not None:
            return f"fixtures in {names}; recorded answers are played back to the agent {self.agent} ({self.where})"
        return f"fixtures in {names}; no builder is named: checks run on the recorded prompts, as the calls were"

    @cached_property
    def build(self) -> Callable[..., Any] | None:
        """The builder; imported when the first check needs it."""
        return None if self.builder is None else find_callable(self.builder, self.root, self.where)

    @cached_property
    def run(self) -> Callable[..., Any] | None:
        """The agent; imported when the first check needs it."""
        if self.agent is None:
            return None
        from snapshot_sdk._playback import placeholder_keys

        with placeholder_keys():  # clients are often built while a module is imported
            return find_callable(self.agent, self.root, self.where)


def make_plan(
    folders: tuple[Path, ...], settings: ProjectSettings, root: Path, *, builder: str | None, agent: str | None
) -> Plan:
    """Decides what makes the prompts: the command line comes before the project, a builder before an agent.

    Args:
        folders: With fixtures.
        settings: Of the project.
        root: pytest's root folder.
        builder: Named on the command line.
        agent: Likewise.

    Raises:
        SettingsError: Both are named on the command line, or a name has not the form of one.
    """
    resolved = tuple(dict.fromkeys(folder.resolve() for folder in folders))
    if builder is not None and agent is not None:
        raise SettingsError("name a builder or an agent, not both", file="--context-builder, --context-agent")
    for option, name in (("--context-builder", builder), ("--context-agent", agent)):
        if name is not None:
            check_callable_name(name, option)
            return Plan(resolved, builder, agent, option, root)
    home = settings.file.parent if settings.file is not None else root
    own_agent = settings.agent if settings.builder is None else None
    return Plan(resolved, settings.builder, own_agent, "pyproject.toml", home)


def looks_like_fixture(file: Path) -> bool:
    """Tells whether a JSON file is, or was before it was damaged, a fixture.

    Args:
        file: Its path.
    """
    try:
        return FIXTURE_FORMAT.encode() in file.read_bytes()
    except OSError:
        return True  # collected, to say why it cannot be read


class FixtureFile(pytest.File):
    """A file; its checks are the items."""

    plan: Plan

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, plan: Plan) -> FixtureFile:
        """Makes one.

        Args:
            parent: The folder.
            path: The file.
            plan: What is tested.
        """
        made: FixtureFile = cls.from_parent(parent, path=path)
        made.plan = plan
        return made

    def collect(self) -> Iterator[pytest.Item]:
        """Yields an item for each check; one that fails where the file has none that could be run."""
        try:
            fixture = read_fixture(self.path)
        except FixtureError as error:
            yield BrokenItem.of(self, str(error))
            return
        if not fixture.checks:
            yield BrokenItem.of(self, f"{self.path}: the fixture holds no check, so nothing is tested")
        for check in fixture.checks:
            yield CheckItem.of(self, fixture, check)

    @cached_property
    def played(self) -> Played:
        """What the agent made of this fixture; it is run once for all checks of a file."""
        return Played()


class Played:
    """The prompts that an agent built, or why it built none."""

    def __init__(self) -> None:
        self._prompts: tuple[Prompt, ...] = ()
        self._error: AssertionError | None = None

    def prompts(self, fixture: Fixture, agent: Callable[..., Any]) -> tuple[Prompt, ...]:
        """Runs the agent, the first time.

        Args:
            fixture: Whose answers are played back.
            agent: To whom.

        Raises:
            AssertionError: It did not come to the fixture's call; each time.
        """
        from snapshot_sdk._playback import play_back

        if not self._prompts and self._error is None:
            try:
                self._prompts = play_back(fixture, agent)
            except AssertionError as error:
                self._error = error
        if self._error is not None:
            raise self._error
        return self._prompts


class BrokenItem(pytest.Item):
    """A file whose checks cannot be run: fails, and says why."""

    reason: str

    @classmethod
    def of(cls, parent: FixtureFile, reason: str) -> BrokenItem:
        """Makes one.

        Args:
            parent: The file.
            reason: Why, with the name of the file.
        """
        made: BrokenItem = cls.from_parent(parent, name=_UNREADABLE)
        made.reason = reason
        return made

    def runtest(self) -> None:
        """Fails."""
        raise AssertionError(visible(self.reason))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Says why."""
        return visible(self.reason)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Names the file."""
        return self.path, None, f"{self.path.name}: {self.name}"


class CheckItem(pytest.Item):
    """One check of a fixture."""

    check: Check
    fixture: Fixture
    file: FixtureFile

    @classmethod
    def of(cls, parent: FixtureFile, fixture: Fixture, check: Check) -> CheckItem:
        """Makes one.

        Args:
            parent: The file.
            fixture: What stands in it.
            check: One of its checks.
        """
        made: CheckItem = cls.from_parent(parent, name=visible(check.id, line_ends=False))
        made.fixture, made.check, made.file = fixture, check, parent
        made.extra_keyword_matches |= {check.kind, fixture.name}
        return made

    def runtest(self) -> None:
        """Runs the check."""
        from snapshot_sdk.testing import assert_check

        plan = self.file.plan
        if plan.run is None:
            assert_check(self.check.id, self.fixture, plan.build)
            return
        prompts = self.file.played.prompts(self.fixture, plan.run)
        outcome = run_check(self.check, prompts[-1], self.fixture, prompts[-2] if len(prompts) > 1 else None)
        if outcome.ok is None:
            pytest.skip(outcome.message)
        if not outcome.ok:
            raise AssertionError(outcome.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Says what is wrong with the prompt; of what a builder or an agent raised, where in their code."""
        error = excinfo.value
        told = "" if error.__cause__ is None else f"\n\n{_traceback(error.__cause__)}"
        if isinstance(error, AssertionError) and Path(str(excinfo.traceback[-1].path)).is_relative_to(_SDK):
            return visible(f"{error}{told}")
        if isinstance(error, FixtureError | SettingsError):
            return visible(str(error))
        return _traceback(error)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Names the file and the check."""
        return self.path, None, f"{self.path.name}: {self.name}"


def _traceback(error: BaseException) -> str:
    """A traceback without the frames of pytest and of this package."""
    told = traceback.TracebackException.from_exception(error)
    inner = [frame for frame in told.stack if not any(Path(frame.filename).is_relative_to(one) for one in _HIDDEN)]
    told.stack = traceback.StackSummary.from_list(inner)
    return visible("".join(told.format(chain=False)).rstrip())
