"""Fixtures for programs that make or convert them: the values, the file, the checks, the patterns of what is secret.

A test imports :mod:`snapshot_sdk.testing` instead.
"""

from __future__ import annotations

from snapshot_sdk._fixture_checks import Outcome, run_check, run_checks
from snapshot_sdk._fixture_file import dump_fixture, fixture_value, parse_fixture, read_fixture
from snapshot_sdk._fixture_prompt import Prompt, PromptMessage, prompt_of, recorded_prompt
from snapshot_sdk._fixture_prompt_building import NoPromptError, build_previous, build_prompt, previous_recorded
from snapshot_sdk._fixture_settings import ProjectSettings, check_callable_name, read_project_settings
from snapshot_sdk._fixture_values import (
    CHECK_KINDS,
    FIXTURE_FORMAT,
    FIXTURE_VERSION,
    Check,
    CheckKind,
    Fixture,
    HistoryMessage,
    Origin,
    PlayedCall,
    RecordedCompaction,
    TokenRule,
)
from snapshot_sdk._patterns import PATTERNS, Pattern
from snapshot_sdk._playback_signs import request_signs

__all__ = [
    "CHECK_KINDS",
    "FIXTURE_FORMAT",
    "FIXTURE_VERSION",
    "PATTERNS",
    "Check",
    "CheckKind",
    "Fixture",
    "HistoryMessage",
    "NoPromptError",
    "Origin",
    "Outcome",
    "Pattern",
    "PlayedCall",
    "ProjectSettings",
    "Prompt",
    "PromptMessage",
    "RecordedCompaction",
    "TokenRule",
    "build_previous",
    "build_prompt",
    "check_callable_name",
    "dump_fixture",
    "fixture_value",
    "parse_fixture",
    "previous_recorded",
    "prompt_of",
    "read_fixture",
    "read_project_settings",
    "recorded_prompt",
    "request_signs",
    "run_check",
    "run_checks",
]
