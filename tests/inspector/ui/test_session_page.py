"""What the Session page draws for an address: the session, or a message with a next step."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.analysis.changes import trace_session
from inspector.errors import CallNotFoundError, SessionNotFoundError
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.request import Message, Part, Usage
from inspector.model.views import CallRow, CallView, MessageRow, SessionRow, TokenCount
from inspector.ui import session_page
from inspector.ui.state import Address

COUNT = TokenCount(5, "tokenizer:o200k_base")
CALL = CallRow(
    id="a",
    number=1,
    turn=1,
    turn_label="t1",
    turn_inferred=False,
    lane="main",
    lane_origin="given",
    purpose=None,
    previous=None,
    api="openai.chat",
    model="gpt-4.1",
    time="2026-11-28T14:02:00Z",
    duration_ms=None,
    status="answered",
    http_status=200,
    error=None,
    attempts=1,
    stop_reason="stop",
    usage=Usage(None, None, None, None, None),
    usage_raw=None,
    composition={Layer.INPUT: 5},
    origins={Layer.INPUT: "tokenizer:o200k_base"},
    counted=COUNT,
    provider=TokenCount(None, "unknown"),
    calibrated=TokenCount(None, "unknown"),
    unattributed=None,
    tokens=COUNT,
    window=None,
    budget=None,
    threshold=None,
    messages=1,
    exact="bytes",
    missing=(),
    caller=None,
    file="a.jsonl",
    line=2,
)
QUESTION = MessageRow(
    1, 1, "messages", 0, Message("user", (Part("text", "hello"),)), Layer.INPUT, (), COUNT, "sha256:0", (), born_call=1
)
BLOCK = Block("sha256:0", "user", Layer.INPUT, "hello", tokens=5)


class Page:
    """The page with its surroundings replaced by values; collects what it shows."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *, session: str | None, call: int | None, calls: int = 1
    ) -> None:
        self.mounted: dict[str, Any] = {}
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.row = SessionRow(
            session="order-4711",
            agent=None,
            models=("gpt-4.1",),
            calls=calls,
            turns=calls,
            started="2026-11-28T14:02:00Z",
            ended="2026-11-28T14:02:00Z",
            peak=COUNT,
            window=None,
            budget=None,
            threshold=None,
            compactions=0,
            pins=0,
            pins_gone=0,
            failed_calls=0,
            fill=(),
            lanes=(("main", calls),),
            origin="recorded",
            exact=("bytes",),
        )
        self.rows = (CALL,) * calls
        beside = SimpleNamespace(file=Path("nowhere/inspector.toml"), files=())
        index = SimpleNamespace(version=id(self), directory=Path("traces"), watchlist=beside)
        surroundings: dict[str, Any] = {
            "address": lambda: Address(session, call, None, None, None, None),
            "get_index": lambda: index,
            "session_row": self._session_row,
            "calls": lambda name: self.rows,
            "changes": lambda name: trace_session([CallContext(1, "a", None, "main", (BLOCK,))]),
            "events": lambda name: (),
            "call_view": self._call_view,
        }
        for name, value in surroundings.items():
            monkeypatch.setattr(session_page.state, name, value)
        monkeypatch.setattr(session_page, "mount", self._mount)
        monkeypatch.setattr(session_page, "show_message", lambda title, lines=(), **more: self._say(title, lines, more))
        session_page.render()

    def _session_row(self, name: str) -> SessionRow:
        if name != self.row.session:
            raise SessionNotFoundError(name, ("order-4711",))
        return self.row

    def _call_view(self, name: str, number: int) -> CallView:
        if not 1 <= number <= len(self.rows):
            raise CallNotFoundError(name, number, len(self.rows))
        return CallView(self.rows[number - 1], (QUESTION,), {}, None, (), "0" * 64, 10)

    def _mount(self, name: str, data: Any, key: str, **_: Any) -> SimpleNamespace:
        self.mounted[name] = data
        return SimpleNamespace(want=None)

    def _say(self, title: str, lines: Any, more: dict[str, Any]) -> None:
        self.messages.append((title, {"lines": list(lines), **more}))


def test_a_session_is_sent_whole_and_its_call_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture's data does not hold the call's words, so that a step never sends it again."""
    page = Page(monkeypatch, session="order-4711", call=1)
    assert page.mounted["session"]["session"] == "order-4711"
    assert page.mounted["sessionfeed"]["call"] == 1
    assert page.mounted["sessionfeed"]["asked"]["text"] == "hello"
    assert page.mounted["sessionlives"]["messages"]["text"] == ["hello"]
    assert page.messages == []


def test_without_a_call_the_session_opens_where_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """No call in the address: the first error, else the last call; browser and server agree."""
    page = Page(monkeypatch, session="order-4711", call=None)
    assert page.mounted["session"]["opensAt"] == 1
    assert page.mounted["sessionfeed"]["call"] == 1


def test_without_a_session_the_way_to_the_list_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare address has a next step."""
    page = Page(monkeypatch, session=None, call=None)
    ((_, message),) = page.messages
    assert message["links"] == [("Sessions", {"page": "sessions"})]


def test_an_unknown_session_names_close_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped name leads to its neighbour, without the call of the bad address."""
    page = Page(monkeypatch, session="order-4712", call=3)
    ((title, message),) = page.messages
    assert title == "There is no session order-4712"
    assert message["links"][0] == ("order-4711", {"page": "session", "session": "order-4711", "call": ""})
    assert page.mounted == {}


def test_a_call_out_of_range_names_the_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message offers the first and the last call."""
    page = Page(monkeypatch, session="order-4711", call=99, calls=3)
    ((title, message),) = page.messages
    assert title == "There is no call 99"
    assert message["lines"] == ["Session order-4711 has calls 1 to 3."]
    assert [params["call"] for _, params in message["links"]] == ["1", "3"]


def test_a_session_without_calls_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A header alone is no error."""
    page = Page(monkeypatch, session="order-4711", call=None, calls=0)
    ((title, message),) = page.messages
    assert title == "Session order-4711 has no calls yet"
    assert message["severity"] == "info"


def test_the_saved_picture_is_named_after_the_session() -> None:
    """A session's name that is no file name is made one."""
    options = session_page._config("a/b <c>", "SVG")["toImageButtonOptions"]
    assert options["filename"] == "tokens-a-b--c-"
    assert options["format"] == "svg"
