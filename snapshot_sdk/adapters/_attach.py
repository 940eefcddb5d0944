"""Chooses how a client is recorded."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from snapshot_sdk.adapters import _aiohttp, _botocore, _requests
from snapshot_sdk.adapters._aiohttp import attach_lazily
from snapshot_sdk.adapters._copies import follow_copies
from snapshot_sdk.adapters._endpoints import Endpoints
from snapshot_sdk.adapters._httpx import attach_client
from snapshot_sdk.adapters._install import install_for
from snapshot_sdk.adapters._reach import http_clients

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder

_BUILDERS: Final = frozenset({"litellm", "openai", "anthropic"})
"""Modules whose functions build clients out of reach: every client of the process is watched for them."""

_SESSIONS: Final = (
    ("requests", "Session", _requests.attach_session),
    ("aiohttp", "ClientSession", _aiohttp.attach_session),
)
"""Clients of other libraries: module, class, how they are recorded."""


def attach(recorder: Recorder, client: Any, endpoints: Iterable[str]) -> None:
    """Records what a client sends.

    Args:
        recorder: Where to.
        client: See :meth:`snapshot_sdk.Recorder.attach`.
        endpoints: Further URLs.

    Raises:
        TypeError: No HTTP client was found in it.
        ValueError: An endpoint is no URL.
    """
    endpoints = endpoints if isinstance(endpoints, str) else tuple(endpoints)
    wanted = Endpoints(endpoints, any_host=True)
    if isinstance(client, ModuleType) and client.__name__ in _BUILDERS:
        install_for(recorder, wanted)
        return
    if _botocore.is_client(client):
        _botocore.attach_botocore(recorder, client, wanted)
        return
    for library, name, attach_one in _SESSIONS:
        module = sys.modules.get(library)
        if module is not None and isinstance(client, getattr(module, name)):
            attach_one(recorder, client, wanted)
            return
    found = http_clients(client)
    if not found:
        raise TypeError(
            f"attach() found no HTTP client in {type(client).__module__}.{type(client).__qualname__};"
            " use install() for clients out of reach, or snapshot() by hand"
        )
    for one in found:
        attach_client(recorder, one, wanted)
    follow_copies(recorder, client, lambda copy: attach(recorder, copy, endpoints))
    lazy = getattr(client, "_api_client", None)
    if hasattr(type(lazy), "_get_aiohttp_session"):
        attach_lazily(recorder, lazy, wanted)
