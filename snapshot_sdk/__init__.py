"""Records what an LLM agent sends to its model, and reads it back. Needs nothing but Python.

A name is imported when it is first asked for: programs that use one part of the package, as pytest does that only
looks whether there are fixtures, do not wait for the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from snapshot_sdk._version import __version__

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder
    from snapshot_sdk.adapters import install, uninstall
    from snapshot_sdk.canonical import canonical_json, content_hash, wire_hash
    from snapshot_sdk.errors import HoleError, NewerVersionError, TraceError, TraceFormatError
    from snapshot_sdk.reading import (
        Hole,
        SourceText,
        StoredElement,
        StoredRequest,
        TraceFile,
        iter_records,
        read_requests,
        upgrade,
    )
    from snapshot_sdk.schema import FORMAT_VERSION

__all__ = [
    "FORMAT_VERSION",
    "Hole",
    "HoleError",
    "NewerVersionError",
    "Recorder",
    "SourceText",
    "StoredElement",
    "StoredRequest",
    "TraceError",
    "TraceFile",
    "TraceFormatError",
    "__version__",
    "canonical_json",
    "content_hash",
    "install",
    "iter_records",
    "read_requests",
    "uninstall",
    "upgrade",
    "wire_hash",
]

_MODULES: Final = {
    "_recorder": ("Recorder",),
    "adapters": ("install", "uninstall"),
    "canonical": ("canonical_json", "content_hash", "wire_hash"),
    "errors": ("HoleError", "NewerVersionError", "TraceError", "TraceFormatError"),
    "reading": (
        "Hole",
        "SourceText",
        "StoredElement",
        "StoredRequest",
        "TraceFile",
        "iter_records",
        "read_requests",
        "upgrade",
    ),
    "schema": ("FORMAT_VERSION",),
}
"""Where the names are. The modules themselves are attributes as well."""

_PLACES: Final = {name: f"{__name__}.{module}:{name}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    from pkgutil import resolve_name

    place = _PLACES.get(name) or (f"{__name__}.{name}" if name in _MODULES else None)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = resolve_name(place)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
