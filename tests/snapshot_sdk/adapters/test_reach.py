"""The private attributes that attach() follows, pinned to the versions of the clients they were seen in."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
from typing import Any

import pytest

from snapshot_sdk.adapters._reach import http_clients

MAJORS = {
    "openai": {"1", "2", "3"},
    "anthropic": {"0", "1", "2"},
    "groq": {"0", "1"},
    "mistralai": {"1", "2", "3"},
    "google-genai": {"1", "2", "3"},
    "langchain-openai": {"0", "1"},
    "langchain-anthropic": {"0", "1"},
    "ollama": {"0"},
    "httpx": {"0"},
    "httpx2": {"2"},
    "aiohttp": {"3"},
    "requests": {"2"},
}
"""Major versions whose insides are as described; another one fails here first, not in an agent."""

CLIENTS: list[tuple[str, str, str, dict[str, Any], int]] = [
    ("openai", "openai", "OpenAI", {"api_key": "k"}, 1),
    ("openai", "openai", "AsyncOpenAI", {"api_key": "k"}, 1),
    ("openai", "openai", "AzureOpenAI", {"api_key": "k", "azure_endpoint": "https://x", "api_version": "1"}, 1),
    ("anthropic", "anthropic", "Anthropic", {"api_key": "k"}, 1),
    ("anthropic", "anthropic", "AsyncAnthropic", {"api_key": "k"}, 1),
    ("groq", "groq", "Groq", {"api_key": "k"}, 1),
    ("mistralai", "mistralai.client", "Mistral", {"api_key": "k"}, 2),
    ("google-genai", "google.genai", "Client", {"api_key": "k"}, 2),
    ("ollama", "ollama", "Client", {}, 1),
    ("langchain-openai", "langchain_openai", "ChatOpenAI", {"api_key": "k"}, 2),
    ("langchain-anthropic", "langchain_anthropic", "ChatAnthropic", {"api_key": "k", "model": "m"}, 2),
]


@pytest.mark.parametrize("package", sorted(MAJORS))
def test_versions(package: str) -> None:
    """The installed version is one whose insides are known."""
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"the client package {package} is not installed")
    assert version.split(".")[0] in MAJORS[package]


@pytest.mark.parametrize(("package", "module", "name", "given", "count"), CLIENTS)
def test_http_clients(package: str, module: str, name: str, given: dict[str, Any], count: int) -> None:
    """Each client holds as many HTTP clients as it has ways to send."""
    client = getattr(pytest.importorskip(module, reason=f"{package} is not installed"), name)(**given)
    assert len(http_clients(client)) == count


def test_bound_models() -> None:
    """A LangChain model with tools bound to it, or in a chain of its own, leads to the same clients."""
    module = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
    model = module.ChatOpenAI(api_key="k")
    assert http_clients(model.bind_tools([{"type": "function", "function": {"name": "f"}}])) == http_clients(model)


def test_subclasses_of_the_user() -> None:
    """A client class of the user's own is followed like its base."""
    module = pytest.importorskip("openai", reason="openai is not installed")
    kind = type("Mine", (module.OpenAI,), {"__module__": "mine"})
    assert len(http_clients(kind(api_key="k"))) == 1


def test_requests_that_aiohttp_sends_pass_one_method() -> None:
    """Every verb of an aiohttp session goes through ``_request``, and a session has a way to build URLs and JSON."""
    module = pytest.importorskip("aiohttp", reason="aiohttp is not installed")
    session = module.ClientSession
    assert "self._request(" in inspect.getsource(session.post)
    assert "self._request(" in inspect.getsource(session.request)
    assert list(inspect.signature(session._request).parameters)[1:3] == ["method", "str_or_url"]
    assert callable(session._build_url)
    assert isinstance(session.json_serialize, property)


def test_sessions_that_genai_makes() -> None:
    """google-genai gets its aiohttp sessions from one method."""
    pytest.importorskip("google.genai", reason="google-genai is not installed")
    module = importlib.import_module("google.genai._api_client")
    assert inspect.iscoroutinefunction(module.BaseApiClient._get_aiohttp_session)
    assert inspect.getsource(module.BaseApiClient).count("await self._get_aiohttp_session()") >= 2
