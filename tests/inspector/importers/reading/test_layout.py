"""Facts about bodies that a log shows laid out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.importers.reading.layout import as_sent
from inspector.importers.run import import_paths
from inspector.index import open_index

BODY = {"model": "m", "messages": [{"role": "user", "content": 'a  "b"\n\\ c'}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(BODY),
        json.dumps(BODY, separators=(",", ":")),
        json.dumps({**BODY, "x": "é"}, ensure_ascii=False, separators=(",", ":")),
        '{"model": "m", "model": "n"}',
        "no JSON at all",
        "[1,  2]",
        '{"a": "b:  c, d"}',
    ],
)
def test_kept(text: str) -> None:
    """Text as clients write it is not touched, nor what has no such form."""
    assert as_sent(text) == text


def test_indented_text_loses_only_its_layout() -> None:
    """Blank space inside of strings, escapes and numbers stay as they are."""
    text = (
        '{\n  "model": "m",\n  "t": 1.50,\n  "messages": [\n    {"role": "user", "content": "a  \\u4f60 \\" b"}\n  ]\n}'
    )

    assert as_sent(text) == '{"model":"m","t":1.50,"messages":[{"role":"user","content":"a  \\u4f60 \\" b"}]}'


def test_indented_body_is_imported_message_by_message(tmp_path: Path) -> None:
    """A body that was saved for reading is no riddle afterwards."""
    (tmp_path / "body.json").write_text(json.dumps(BODY, indent=2), encoding="utf-8")
    import_paths([tmp_path / "body.json"], tmp_path / "out")
    index = open_index(tmp_path / "out")
    index.refresh()
    call = index.call("body", 1)

    assert (call.call.model, [row.message.role for row in call.messages]) == ("m", ["user"])
