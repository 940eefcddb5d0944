"""Fixtures as JSON: read strictly, each fault by its key path; written so that equal fixtures are equal bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from snapshot_sdk._fixture_prompt import CONVERSATION
from snapshot_sdk._fixture_values import FIXTURE_FORMAT, FIXTURE_VERSION, Check, Fixture
from snapshot_sdk._json import escape_surrogates
from snapshot_sdk.errors import FixtureError
from snapshot_sdk.facts import Matcher

UPGRADES: Final[Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
"""From a version to the next one. Version 1 is the first: there is nothing to upgrade yet."""

_ENVELOPE: Final = ("format", "version")
_NAMES: Final[Mapping[type, str]] = {str: "a text", int: "a whole number", bool: "true or false", float: "a number"}


def read_fixture(path: str | Path) -> Fixture:
    """Reads a fixture.

    Args:
        path: The file.

    Raises:
        FixtureError: It cannot be read, is no fixture, is of a newer version, or a member is wrong.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FixtureError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise FixtureError(f"is not UTF-8: byte {error.start} is wrong", file=str(path)) from error
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        reason = f"is no JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        raise FixtureError(reason, file=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise FixtureError(f"is no JSON that can be read: {error}", file=str(path)) from error
    return parse_fixture(value, str(path))


def parse_fixture(value: Any, where: str | None = None) -> Fixture:
    """Reads a fixture from its JSON value.

    Args:
        value: As :func:`fixture_value` makes it.
        where: The file it came from, for messages.

    Raises:
        FixtureError: It is no fixture, of a newer version, or a member is wrong.
    """
    if not isinstance(value, Mapping) or value.get("format") != FIXTURE_FORMAT:
        raise FixtureError(f'is no fixture: "format" must be "{FIXTURE_FORMAT}"', file=where)
    members = _upgraded(dict(value), where)
    known = {field.name for field in fields(Fixture)} - {"extra"}
    extra = {key: member for key, member in members.items() if key not in known and key not in _ENVELOPE}
    own = {key: member for key, member in members.items() if key in known}
    fixture: Fixture = replace(_object(Fixture, own, "", where), extra=extra or None)
    for member, reason in _misfits(fixture):
        raise FixtureError(reason, file=where, member=member)
    _check_checks(fixture, where)
    return fixture


def _upgraded(members: dict[str, Any], where: str | None) -> dict[str, Any]:
    version = members.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FixtureError("must be a whole number from 1", file=where, member="version")
    if version > FIXTURE_VERSION:
        raise FixtureError(
            f"fixture version {version} is newer than version {FIXTURE_VERSION}, the newest this package reads;"
            " update context-inspector",
            file=where,
            member="version",
        )
    for step in range(version, FIXTURE_VERSION):
        members = UPGRADES[step](members)
    return members


def _misfits(fixture: Fixture) -> Iterator[tuple[str, str]]:
    """Values of the right type that no call has; key path and reason."""
    for member, number in (
        ("window", fixture.window),
        ("budget", fixture.budget),
        ("origin.call", fixture.origin.call),
    ):
        if number is not None and number < 1:
            yield member, f"must be from 1, not {number}"
    if not any(member in fixture.request for member in CONVERSATION):
        yield "request", f"must have one of {', '.join(CONVERSATION)}: it holds no conversation"
    for place, message in enumerate(fixture.history):
        if not isinstance(message.message, Mapping | str):
            yield f"history[{place}].message", f"must be an object or a text, not {_named(message.message)}"
        if message.tokens is not None and message.tokens < 0:
            yield f"history[{place}].tokens", f"must be from 0, not {message.tokens}"


def _check_checks(fixture: Fixture, where: str | None) -> None:
    """Refuses what could only fail later, in the middle of a test run."""
    seen: dict[str, int] = {}
    for number, check in enumerate(fixture.checks):
        place = f"checks[{number}]"
        if check.id in seen:
            raise FixtureError(
                f'the id "{check.id}" is also that of checks[{seen[check.id]}]', file=where, member=place
            )
        seen[check.id] = number
        for member, reason in _faults(check):
            raise FixtureError(reason, file=where, member=f"{place}.{member}")


def _faults(check: Check) -> Iterator[tuple[str, str]]:
    if not check.id:
        yield "id", "is empty"
    if check.kind == "pin" and not check.text and not check.regex:
        yield "text", "a check of the kind pin needs a text or a regex"
    if check.regex is not None:
        try:
            re.compile(check.regex)
        except re.error as error:
            yield "regex", f"is no regular expression: {error}"
    if check.kind == "pin" and check.text and check.regex:
        yield "regex", "a check of the kind pin has a text or a regex, not both"
    if check.kind == "fact" and not check.facts:
        yield "facts", "a check of the kind fact needs at least one"
    for place, fact in enumerate(check.facts):
        try:
            Matcher(fact)
        except ValueError as error:
            yield f"facts[{place}]", str(error)
    if check.kind == "protected" and check.layer is None:
        yield "layer", "a check of the kind protected needs one"
    if check.kind in ("budget", "reserve") and (check.limit is None or check.limit < 0):
        yield "limit", f"a check of the kind {check.kind} needs a number of tokens from 0"


def fixture_value(fixture: Fixture) -> dict[str, Any]:
    """Gives a fixture as its JSON value; members that have their default are left out, unknown ones kept.

    Args:
        fixture: The fixture.
    """
    members = _plain(fixture)
    extra = members.pop("extra", {})
    return {"format": FIXTURE_FORMAT, "version": FIXTURE_VERSION, **members, **extra}


def dump_fixture(fixture: Fixture) -> str:
    """Writes a fixture: JSON, every letter as it is, indented by one, a newline at the end.

    Args:
        fixture: The fixture.
    """
    return escape_surrogates(json.dumps(fixture_value(fixture), ensure_ascii=False, indent=1)) + "\n"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: _plain(member) for field, member in pairs if not _is_default(field, member)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _is_default(field: Field[Any], value: Any) -> bool:
    return field.default is not MISSING and type(value) is type(field.default) and value == field.default


@lru_cache(maxsize=32)
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _object(cls: Any, value: Any, path: str, where: str | None) -> Any:
    """Reads a dataclass. Members it does not know are passed over: only the fixture itself keeps such."""
    if not isinstance(value, Mapping):
        raise FixtureError(f"must be an object, not {_named(value)}", file=where, member=path or None)
    members = {}
    for field in fields(cls):
        place = f"{path}.{field.name}" if path else field.name
        if field.name in value:
            members[field.name] = _typed(_hints(cls)[field.name], value[field.name], place, where)
        elif field.default is MISSING:
            raise FixtureError("is missing", file=where, member=place)
    return cls(**members)


def _typed(hint: Any, value: Any, path: str, where: str | None) -> Any:
    """Reads a value of a type that a value of a fixture can have."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, UnionType):
        if value is None and NoneType in args:
            return None
        rest = [arg for arg in args if arg is not NoneType]
        fitting = [arg for arg in rest if isinstance(arg, type) and _is_a(value, arg)]
        if len(rest) > 1 and not fitting:
            raise FixtureError(_wanted(rest, value, nullable=NoneType in args), file=where, member=path)
        return _typed(fitting[0] if fitting else rest[0], value, path, where)
    if origin is Literal:
        if value not in args:
            raise FixtureError(f"must be one of {', '.join(args)}, not {_named(value)}", file=where, member=path)
        return value
    if origin is tuple:
        return _tuple(args, value, path, where)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise FixtureError(f"must be an object, not {_named(value)}", file=where, member=path)
        return {key: _typed(args[1], item, f"{path}.{key}", where) for key, item in value.items()}
    if is_dataclass(hint):
        return _object(hint, value, path, where)
    if not _is_a(value, hint):
        raise FixtureError(_wanted([hint], value, nullable=False), file=where, member=path)
    return float(value) if hint is float else value


def _tuple(args: tuple[Any, ...], value: Any, path: str, where: str | None) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise FixtureError(f"must be a list, not {_named(value)}", file=where, member=path)
    if args[-1] is Ellipsis:
        return tuple(_typed(args[0], item, f"{path}[{n}]", where) for n, item in enumerate(value))
    if len(args) != len(value):
        raise FixtureError(f"must be a list of {len(args)}, not of {len(value)}", file=where, member=path)
    return tuple(
        _typed(arg, item, f"{path}[{n}]", where) for n, (arg, item) in enumerate(zip(args, value, strict=True))
    )


def _is_a(value: Any, wanted: type) -> bool:
    if isinstance(value, bool):
        return wanted is bool
    return isinstance(value, int | float) if wanted is float else isinstance(value, wanted)


def _wanted(types: list[Any], value: Any, *, nullable: bool) -> str:
    names = [_NAMES.get(one, getattr(one, "__name__", str(one))) for one in types] + (["null"] if nullable else [])
    return f"must be {' or '.join(names)}, not {_named(value)}"


def _named(value: Any) -> str:
    """Names what stands there, shortly."""
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, str):
        return json.dumps(value if len(value) <= 40 else value[:39] + "…", ensure_ascii=False)
    return "an object" if isinstance(value, Mapping) else "a list"
