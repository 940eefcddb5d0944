"""Which headers pass, which requests are refused, and which conversation a request says it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

Headers = Sequence[tuple[bytes, bytes]]
"""Name, in lower case, and value, in the order in which they came."""

OWN: Final = b"x-context-inspector-"
"""What an agent tells the proxy: read here, and not sent on."""

HOP_BY_HOP: Final = frozenset(
    {
        *(b"connection", b"proxy-connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade"),
        *(b"proxy-authenticate", b"proxy-authorization"),
    }
)
"""They speak of one connection (RFC 9110, 7.6.1; the last two: RFC 9110, 11.7), and there are two here."""

_ADDRESSED_HERE: Final = frozenset({b"host", b"expect"})
"""They are about this server: the next one gets a ``Host`` of its own, and ``100 Continue`` was said here."""

READABLE: Final = frozenset({"gzip", "x-gzip", "deflate", "zstd", "identity"})
"""Codings whose answers can be read for the record; others are not offered to the server."""

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})

MAX_NAME: Final = 256
"""Characters of a session or lane that a header may name."""


def sent_on(headers: Headers, *, recorded: bool) -> list[tuple[bytes, bytes]]:
    """Give the headers of the request that goes on.

    Args:
        headers: Those of the agent.
        recorded: The answer is to be read: only codings that can be are offered.
    """
    kept = [(name, value) for name, value in _passing(headers) if name not in _ADDRESSED_HERE]
    kept = [(name, value) for name, value in kept if not name.startswith(OWN)]
    if recorded:
        kept = [(name, _readable(value) if name == b"accept-encoding" else value) for name, value in kept]
    return kept


def sent_back(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Give the headers of the answer as the agent gets it."""
    return _passing([(name.lower(), value) for name, value in headers])


def _passing(headers: Headers) -> list[tuple[bytes, bytes]]:
    named = {one.strip().lower() for name, value in headers if name == b"connection" for one in value.split(b",")}
    return [(name, value) for name, value in headers if name not in HOP_BY_HOP and name not in named]


def _readable(value: bytes) -> bytes:
    offered = [one.strip() for one in value.decode("latin-1").split(",")]
    kept = [one for one in offered if one.split(";")[0].strip().lower() in READABLE]
    return (", ".join(kept) or "identity").encode("latin-1")


_OTHER_SITES: Final = frozenset({"cross-site", "same-site"})
"""Values of ``Sec-Fetch-Site`` (W3C Fetch Metadata) by which a browser says that another site's page asks."""


class Refusal(NamedTuple):
    """Why a request is answered here."""

    status: int
    reason: str


def refusal(headers: Headers, target: str) -> Refusal | None:
    """Tell why a request must not be sent on; None: it may.

    A page of a foreign site that resolves its own name to 127.0.0.1 sends its own ``Host``; one that posts here
    directly sends its ``Origin``.

    Args:
        headers: Of the request.
        target: Path and query as they stand in it.
    """
    texts = as_text(headers)
    host = texts.get("host", "")
    if "@" in host or _hostname(f"//{host}") not in LOOPBACK:
        said = f"this proxy answers to 127.0.0.1 and localhost only, not to {host[:MAX_NAME]!r}"
        return Refusal(421, f"{said}: set the agent's base URL, not its HTTP proxy")
    origin = texts.get("origin", "")
    foreign = origin.startswith(("http://", "https://")) and _hostname(origin) not in LOOPBACK
    # A page in a sandboxed frame has the origin "null", and what a page loads as a picture has none at all.
    hidden = origin == "null" or (not origin and texts.get("sec-fetch-site") in _OTHER_SITES)
    if foreign or hidden:
        page = f"of {origin[:MAX_NAME]!r}" if foreign else "of another site"
        return Refusal(403, f"this proxy takes no requests of web pages: this one is {page}")
    if not target.startswith("/"):
        # "@other.example/" after "https://api.example" would be another server, and get the agent's key.
        return Refusal(400, f"this proxy takes paths, not {target[:MAX_NAME]!r}: set the agent's base URL")
    if texts.get("upgrade", "").lower() == "websocket":
        # 426 is what agents that can do both take as: use HTTP.
        return Refusal(426, "this proxy records HTTP, not WebSocket: let the agent use HTTP")
    return None


def _hostname(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def as_text(headers: Headers) -> dict[str, str]:
    """Give headers by name; of several with one name the last."""
    return {name.decode("latin-1"): _text(value) for name, value in headers}


def _text(value: bytes) -> str:
    """Read a value; what clients send beyond ASCII, such as a session's Chinese name, is UTF-8 nowadays."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Conversation(NamedTuple):
    """What a request says it belongs to; None: nothing."""

    session: str | None
    lane: str | None
    turn: int | str | None
    purpose: str | None


SESSION_HEADERS: Final = (
    "x-claude-code-session-id",  # Claude Code, https://code.claude.com/docs/en/llm-gateway-protocol
    "session-id",  # Codex; a sub-agent's request names the session of its parent
    "session_id",  # Codex before that
    "x-opencode-session",
    "x-session-id",  # OpenRouter, opencode
    "x-session-affinity",  # opencode, pi
    "x-qwen-code-session-id",
    "helicone-session-id",
    "x-litellm-session-id",
)
"""Headers by which coding agents and gateways name a conversation; the first one that is there counts."""


def conversation(headers: Headers, body: Mapping[str, Any], run: str | None = None) -> Conversation:
    """Read which conversation a request belongs to.

    Args:
        headers: Of the request.
        body: Of the request; empty where it is no object.
        run: Session the user named for the whole run; only what an agent tells the proxy itself goes before it.
    """
    texts = {name: value.strip()[:MAX_NAME] for name, value in as_text(headers).items()}
    session = texts.get("x-context-inspector-session") or run
    session = session or next((texts[name] for name in SESSION_HEADERS if texts.get(name)), None)
    turn = texts.get("x-context-inspector-turn") or None
    return Conversation(
        session or _session_in(body),
        texts.get("x-context-inspector-lane") or _sub_agent(texts),
        int(turn) if turn is not None and turn.isascii() and turn.isdigit() and len(turn) < MAX_DIGITS else turn,
        texts.get("x-context-inspector-purpose") or None,
    )


MAX_DIGITS: Final = 16
"""Digits of a turn that is a number: more is no count of anything."""


def _sub_agent(texts: Mapping[str, str]) -> str | None:
    """Name the lane of a sub-agent; what names none is left to the default lane, not guessed from the prompt."""
    if texts.get("x-claude-code-agent-id"):
        return f"agent {texts['x-claude-code-agent-id']}"
    kind, parent = texts.get("x-openai-subagent"), texts.get("x-codex-parent-thread-id")
    if kind or parent:
        return f"{kind or 'agent'} {texts.get('thread-id', '')}".strip()
    return None


def _session_in(body: Mapping[str, Any]) -> str | None:
    """Read the conversation of OpenAI's Responses."""
    named = body.get("conversation")
    named = named.get("id") if isinstance(named, Mapping) else named
    return named[:MAX_NAME] if isinstance(named, str) and named else None
