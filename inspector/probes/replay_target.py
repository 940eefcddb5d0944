"""Where a question is sent: to the server of its call, or to one that the user names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from inspector.errors import ProbeError
from inspector.probes.replay_aws import is_runtime
from inspector.probes.replay_dialects import speaks
from inspector.probes.replay_path import PATHS, dialect_of_host, is_bedrock, unstreamed, with_model, with_path
from snapshot_sdk.gateway import Endpoints

_CHAT: Final = "openai.chat"
_AZURE_PATH: Final = "/openai/deployments/"
"""Of Azure's dated API, whose every address ends with ``?api-version=2024-10-21``; its ``/openai/v1`` wants none."""


@dataclass(frozen=True)
class Target:
    """What the user said about where to ask."""

    endpoint: str | None = None
    """URL, whole or only the server's; None: where the call itself went."""
    api: str | None = None
    """Dialect the server speaks; None: by the URL's path, else the call's own, else OpenAI's chat."""
    model: str | None = None
    """None: the call's own."""
    key_variable: str | None = None
    """Variable of the environment that holds the key; None: by the host."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Further headers, such as ``anthropic-beta``; never stored, never shown."""


@dataclass(frozen=True)
class Address:
    """Where a question of one call goes."""

    url: str
    api: str
    own: bool
    """It is the server that answered the call."""

    @property
    def host(self) -> str:
        """Name of the host."""
        return urlsplit(self.url).hostname or ""

    @property
    def origin(self) -> str:
        """The server: ``https://api.openai.com``."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"


def address_of(target: Target, api: str, endpoint: str | None, model: str | None) -> Address:
    """Say where a question about a call goes.

    Args:
        target: What the user said.
        api: Dialect of the call.
        endpoint: Where the call went; None, or a path alone: not known.
        model: Model that is asked.

    Raises:
        ProbeError: No address is known, or it is none.
    """
    if target.endpoint is None:
        if endpoint is None or not endpoint.startswith(("http://", "https://")):
            raise ProbeError("it is not recorded where the call went", hint="Name a server with --endpoint URL.")
        if target.api not in (None, api):
            raise ProbeError("the server of the call speaks its own dialect", hint="Name another with --endpoint URL.")
        url = _modelled(unstreamed(_checked(endpoint)), target.model)
        parts = urlsplit(url)
        if _AZURE_PATH in parts.path and "api-version" not in parts.query:
            raise ProbeError(
                "Azure wants an api-version, and addresses are recorded without their query",
                hint=f"Name it whole: --endpoint '{url}?api-version=…'",
            )
        return Address(url, api, own=True)
    url = _checked(target.endpoint)
    call = Endpoints(any_host=True).find("POST", url)
    said = target.api or (call.api if call is not None else _spoken_at(url, api, endpoint, target.model))
    wanted = "ollama.chat" if said == "ollama.generate" else said or (api if speaks(api) else _CHAT)
    if not speaks(wanted):
        raise ProbeError(f"nothing can be asked in the dialect {wanted}", hint=f"Known are {', '.join(PATHS)}.")
    if call is not None:
        url = _modelled(unstreamed(url), target.model)
    elif endpoint is not None and target.model is None and _same_way(url, wanted, api, endpoint):
        url = url.rstrip("/") + urlsplit(unstreamed(endpoint)).path
    else:
        named = target.model or model
        if not named and "{model}" in PATHS[wanted]:
            raise ProbeError("this server wants the model in its address", hint="Name it with --model.")
        url = with_path(url, wanted, named)
    own = endpoint is not None and _origin(url) == _origin(endpoint)
    return Address(url, wanted, own=own)


def _modelled(url: str, model: str | None) -> str:
    return with_model(url, model) if model is not None else url


def _spoken_at(url: str, api: str, endpoint: str | None, model: str | None) -> str | None:
    """Say what a provider's server speaks where its address has no path; None: it is not known.

    On Bedrock a call of Bedrock's goes the way it went, and an Anthropic request to a Claude in its own dialect.
    """
    spoken = dialect_of_host(url)
    if spoken != "bedrock.converse":
        return spoken
    again = model is None and endpoint is not None and is_bedrock(endpoint)
    claude = api == "anthropic.messages" and "anthropic." in (model or "")
    return api if again or claude else spoken


def _same_way(url: str, wanted: str, api: str, endpoint: str) -> bool:
    """Say whether the call's own path leads to the same model at another server: an ARN is not known otherwise."""
    at_bedrock = is_runtime(urlsplit(url).hostname or "")
    return wanted == api and is_bedrock(endpoint) and (api == "bedrock.converse" or at_bedrock)


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine.

    Args:
        host: Name or address.
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ProbeError(f"{url!r} is no address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ProbeError(f"{url!r} is no address such as http://127.0.0.1:8080")
    if parts.username is not None or parts.password is not None:
        raise ProbeError("a key has no place in an address", hint="Name the variable that holds it: --key-env NAME.")
    return url


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    return parts.scheme, parts.hostname, port or {"http": 80, "https": 443}.get(parts.scheme)
