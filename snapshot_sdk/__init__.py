"""Records what an LLM agent sends to its model, and reads it back. Needs nothing but Python."""

from __future__ import annotations

from snapshot_sdk._recorder import Recorder
from snapshot_sdk._version import __version__
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
