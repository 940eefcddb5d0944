"""Finds the HTTP client inside the client of a provider: one private attribute each, pinned by tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from snapshot_sdk.adapters._httpx import library_of

_WAYS: Final[dict[str, tuple[str, ...]]] = {
    "openai": ("_client",),
    "anthropic": ("_client",),
    "groq": ("_client",),
    "ollama": ("_client",),
    "cerebras": ("_client",),
    "together": ("_client",),
    "mistralai": ("sdk_configuration.client", "sdk_configuration.async_client"),
    "google": ("_api_client._httpx_client", "_api_client._async_httpx_client"),
    "cohere": ("_client_wrapper.httpx_client.httpx_client",),
    "litellm": ("client",),
    "langchain_openai": ("root_client._client", "root_async_client._client"),
    "langchain_anthropic": ("_client._client", "_async_client._client"),
    "langchain_groq": ("client._client._client", "async_client._client._client"),
    "langchain_core": ("bound",),
}
"""First part of a class's module → attributes, from its object on, where an HTTP client is (or an object
with one of its own). Classes of the user inherit the way of their base."""

_MAX_STEPS: Final = 4
"""Objects in objects: a bound LangChain model, its provider's client, the HTTP client."""


def http_clients(client: Any) -> list[Any]:
    """Returns the HTTP clients that a client sends with.

    Args:
        client: Of a provider, or an HTTP client itself.

    Returns:
        Clients of ``httpx`` or ``httpx2``, each once; empty: none was found.
    """
    found: list[Any] = []
    for one in _search(client, 0):
        if not any(one is other for other in found):
            found.append(one)
    return found


def _search(value: Any, steps: int) -> Iterator[Any]:
    if value is None or steps > _MAX_STEPS:
        return
    if library_of(value) is not None:
        yield value
        return
    for package in _packages(value):
        for way in _WAYS.get(package, ()):
            yield from _search(_follow(value, way), steps + 1)


def _packages(value: Any) -> list[str]:
    """The packages of a class and its bases, nearest first."""
    return list(dict.fromkeys(base.__module__.partition(".")[0] for base in type(value).__mro__))


def _follow(value: Any, way: str) -> Any:
    for name in way.split("."):
        value = getattr(value, name, None)
    return value
