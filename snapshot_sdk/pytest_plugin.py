"""A pytest plugin: fixtures in the folders that a project names become tests, one for each check.

It does nothing, and imports nothing more, where no folder is named::

    [tool.context-inspector]      # pyproject.toml
    folder = "tests/context"
    builder = "myagent.memory:build_prompt"

or ``context_fixtures`` among pytest's own settings, or ``--context-fixtures`` on the command line.
``docs/fixtures.md`` describes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pytest

    from snapshot_sdk._pytest_items import FixtureFile, Plan

_PLAN: Final = "_context_inspector_plan"
"""Attribute of pytest's configuration: what is to be done; absent: nothing."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options and the setting."""
    group = parser.getgroup("context-inspector", "fixtures of context-inspector")
    group.addoption(
        "--context-fixtures",
        action="append",
        default=[],
        metavar="DIR",
        help="folder with fixtures: each of their checks is a test (may be given several times)",
    )
    group.addoption(
        "--context-builder",
        metavar="MODULE:FUNCTION",
        help="the context builder that makes the prompts which are checked",
    )
    group.addoption(
        "--context-agent",
        metavar="MODULE:FUNCTION",
        help="the agent to which recorded answers are played back, where there is no builder",
    )
    parser.addini("context_fixtures", "folders with fixtures", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Looks whether a folder is named, and has pytest collect it."""
    from snapshot_sdk._fixture_settings import read_project_settings
    from snapshot_sdk.errors import SettingsError

    asked = [config.invocation_params.dir / folder for folder in config.getoption("--context-fixtures")]
    try:
        missing = next((folder for folder in asked if not folder.is_dir()), None)
        if missing is not None:
            raise SettingsError(f"there is no folder {missing}", file="--context-fixtures")
        settings = read_project_settings(config.rootpath)
        if settings.folder is not None and not settings.folder.is_dir():
            raise SettingsError(
                f"there is no folder {settings.folder}", file=str(settings.file), key="tool.context-inspector.folder"
            )
        named = [*config.getini("context_fixtures"), *([settings.folder] if settings.folder is not None else [])]
        if not asked and not named:
            return
        from snapshot_sdk._pytest_items import make_plan

        plan = make_plan(
            tuple(dict.fromkeys(Path(folder) for folder in (*asked, *named))),
            settings,
            config.rootpath,
            builder=config.getoption("--context-builder"),
            agent=config.getoption("--context-agent"),
        )
    except SettingsError as error:
        import pytest

        raise pytest.UsageError(str(error)) from error
    setattr(config, _PLAN, plan)
    _add_folders(config, asked, plan)


def _add_folders(config: pytest.Config, asked: list[Path], plan: Plan) -> None:
    """Has folders collected that pytest would not come to: those asked for now; all, where nothing else is asked."""
    everything = config.args_source is not type(config).ArgsSource.ARGS
    places = [(config.invocation_params.dir / arg.partition("::")[0]).absolute() for arg in config.args]
    for folder in plan.folders if everything else asked:
        if folder.is_dir() and not any(folder.absolute().is_relative_to(place) for place in places):
            config.args.append(str(folder))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says which folders are read, and what makes the prompts."""
    plan: Plan | None = getattr(config, _PLAN, None)
    return [] if plan is None else [f"context-inspector: {plan.sentence(config.rootpath)}"]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FixtureFile | None:
    """Collects the fixtures among the JSON files of the folders."""
    plan: Plan | None = getattr(parent.config, _PLAN, None)
    if plan is None or file_path.suffix != ".json" or not plan.holds(file_path):
        return None
    from snapshot_sdk._pytest_items import FixtureFile, looks_like_fixture

    return FixtureFile.of(parent, file_path, plan) if looks_like_fixture(file_path) else None
