"""Where a question is sent, and which key goes with it: never a key to a host that the user did not name for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from inspector.errors import ProbeError
from inspector.probes.replay_dialects import speaks
from snapshot_sdk.gateway import Endpoints

KEY_VARIABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "api.openai.com": ("OPENAI_API_KEY",),
    "api.anthropic.com": ("ANTHROPIC_API_KEY",),
    "generativelanguage.googleapis.com": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "api.mistral.ai": ("MISTRAL_API_KEY",),
    "api.deepseek.com": ("DEEPSEEK_API_KEY",),
    "api.groq.com": ("GROQ_API_KEY",),
    "openrouter.ai": ("OPENROUTER_API_KEY",),
    "api.moonshot.cn": ("MOONSHOT_API_KEY",),
    "dashscope.aliyuncs.com": ("DASHSCOPE_API_KEY",),
}
"""Host → variables its key is looked for in. A trace of somebody else may name any host: others get no key unless the
user says which variable holds it."""

_PATHS: Final[Mapping[str, str]] = {
    "openai.chat": "/v1/chat/completions",
    "mistral.chat": "/v1/chat/completions",
    "openai.responses": "/v1/responses",
    "anthropic.messages": "/v1/messages",
    "gemini.generate_content": "/v1beta/models/{model}:generateContent",
    "ollama.chat": "/api/chat",
}
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
        url = endpoint.replace(":streamGenerateContent", ":generateContent")
        parts = urlsplit(url)
        if _AZURE_PATH in parts.path and "api-version" not in parts.query:
            raise ProbeError(
                "Azure wants an api-version, and addresses are recorded without their query",
                hint=f"Name it whole: --endpoint '{url}?api-version=…'",
            )
        return Address(_checked(url), api, own=True)
    url = _checked(target.endpoint)
    call = Endpoints(any_host=True).find("POST", url)
    said = target.api or (call.api if call is not None else None)
    wanted = "ollama.chat" if said == "ollama.generate" else said or (api if speaks(api) else _CHAT)
    if not speaks(wanted):
        raise ProbeError(f"nothing can be asked in the dialect {wanted}", hint=f"Known are {', '.join(_PATHS)}.")
    if call is None:
        url = _with_path(url, _PATHS[wanted].replace("{model}", target.model or model or ""))
    own = endpoint is not None and _origin(url) == _origin(endpoint)
    return Address(url, wanted, own=own)


def find_keys(addresses: Iterable[Address], target: Target, environment: Mapping[str, str]) -> dict[str, str | None]:
    """Find the key that each server is sent, by its origin; None: none is sent there.

    Args:
        addresses: Where questions go.
        target: What the user said.
        environment: Variables.

    Raises:
        ProbeError: A variable is not set, a key would go unencrypted over a network, or one key to several servers.
    """
    origins = {one.origin: one for one in addresses}
    if target.key_variable is not None and len(origins) > 1:
        raise ProbeError(
            f"one key for {len(origins)} servers: {', '.join(origins)}", hint="Name the one to ask with --endpoint URL."
        )
    keys = {}
    for origin, address in origins.items():
        key = find_key(address.host, target, environment)
        encrypted = origin.startswith("https:") or is_loopback(address.host)
        if key is not None and target.key_variable is None and not encrypted:
            raise ProbeError(
                f"the key would go to {origin} unencrypted", hint="Name a server with --endpoint https://…"
            )
        keys[origin] = key
    return keys


def find_key(host: str, target: Target, environment: Mapping[str, str]) -> str | None:
    """Find the key that is sent to a host; None: none is sent.

    Args:
        host: Where the question goes.
        target: What the user said.
        environment: Variables.

    Raises:
        ProbeError: The variable that the user or the host names is not set.
    """
    if target.key_variable is not None:
        key = _read_key(target.key_variable, environment)
        if key is None:
            raise ProbeError(f"{target.key_variable} is not set", hint="Looking needs no key.")
        return key
    names = KEY_VARIABLES.get(host)
    if names is None:
        return None
    key = next((value for name in names if (value := _read_key(name, environment)) is not None), None)
    if key is None:
        raise ProbeError(
            f"set {' or '.join(names)}, or choose another server with --endpoint", hint="Looking needs no key."
        )
    return key


def _read_key(name: str, environment: Mapping[str, str]) -> str | None:
    """Read a variable that holds a key; None: it holds none.

    Raises:
        ProbeError: A character in it cannot be sent: it came along when the key was pasted.
    """
    key = environment.get(name, "").strip()
    wrong = next((character for character in key if not "!" <= character <= "~"), None)
    if wrong is not None:
        raise ProbeError(
            f"{name} holds {wrong!r} (U+{ord(wrong):04X}), which no key has",
            hint="Paste the key alone, without quotes.",
        )
    return key or None


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


def _with_path(url: str, path: str) -> str:
    parts = urlsplit(url)
    base = parts.path.rstrip("/")
    first = "/" + path.split("/")[1]  # /v1, /v1beta, /api
    joined = base + path.removeprefix(first) if base.endswith(first) else base + path
    return urlunsplit((parts.scheme, parts.netloc, joined, parts.query, ""))


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    return parts.scheme, parts.hostname, port or {"http": 80, "https": 443}.get(parts.scheme)
