"""The checks of a fixture read prompts as the inspector does: same texts, same layers, same answer about every pin."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from inspector.index import Index, open_index
from inspector.model.dialects import read_request
from inspector.model.layering import places_of, segment_message
from snapshot_sdk import read_requests
from snapshot_sdk._fixture_checks_texts import judge_pin
from snapshot_sdk._fixture_prompt import CONVERSATION, prompt_of
from snapshot_sdk._fixture_prompt_compacted import seen_messages

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "traces"
SESSIONS = sorted(path.name.rpartition("-")[0] for path in SAMPLES.iterdir() if path.is_dir())


def bodies(session: str) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Dialect and body of every call of a sample."""
    for path in sorted(SAMPLES.glob(f"{session}-*/*.jsonl")):
        for read in read_requests(path):
            yield read.record.get("api"), read.request.body()


def seen(body: dict[str, Any]) -> dict[str, Any]:
    """A body without what Anthropic's server drops of it: the inspector reads a body as it was sent."""
    messages = body.get("messages")
    return {**body, "messages": [one for _, one in seen_messages(messages)]} if isinstance(messages, list) else body


@pytest.mark.parametrize("session", SESSIONS)
def test_same_texts(session: str) -> None:
    """Message by message what search and pins look at in the inspector is what the checks look at."""
    for api, body in bodies(session):
        shown = sorted(element.message.text for element in read_request(seen(body), api).elements)
        assert sorted(message.text for message in prompt_of(body, api=api).elements) == shown


@pytest.mark.parametrize("session", SESSIONS)
def test_same_layers(session: str) -> None:
    """Without labels and rules of the user both split texts alike."""
    for api, body in bodies(session):
        elements = read_request(seen(body), api).elements
        places = places_of(elements)
        shown = sorted(
            (segment.layer.value, element.message.parts[segment.part].text[segment.start : segment.end])
            for element, place in zip(elements, places, strict=True)
            for segment in segment_message(element, place)
        )
        runs = [run for message in prompt_of(body, api=api).elements for run in message.runs]
        assert _joined(sorted((run.layer, run.text) for run in runs)) == _joined(shown)


def _joined(runs: list[tuple[str, str]]) -> dict[str, int]:
    """Characters of each layer: where two runs of one layer meet either may have cut them."""
    sizes: dict[str, int] = {}
    for layer, text in runs:
        sizes[layer] = sizes.get(layer, 0) + len(text)
    return {layer: size for layer, size in sizes.items() if size}


@pytest.mark.realdata
def test_same_pieces_of_real_requests(realdata: Path) -> None:
    """Recorded exchanges of five APIs: every piece of text that the inspector shows, the checks look at."""
    read: Counter[str] = Counter()
    for path in sorted((realdata / "vcr").rglob("*.y*ml")):
        for body in _requests(yaml.safe_load(path.read_text(encoding="utf-8"))):
            request = read_request(seen(body))
            if request.api == "unknown":
                continue
            read[request.api] += 1
            shown = sorted(part.text for element in request.elements for part in element.message.parts if part.text)
            elements = prompt_of(body, api=request.api).elements
            assert sorted(piece.text for one in elements for piece in one.pieces if piece.text) == shown, path.name
    assert len(read) >= 4


def _requests(value: Any) -> Iterator[dict[str, Any]]:
    """The JSON bodies of the requests in a cassette."""
    for exchange in value.get("interactions", ()) if isinstance(value, dict) else ():
        body = exchange.get("request", {}).get("body")
        text = body.get("string") if isinstance(body, dict) else body
        try:
            parsed = exchange["request"].get("parsed_body") or json.loads(text or "null")
        except (ValueError, TypeError):
            continue
        if isinstance(parsed, dict) and any(name in parsed for name in CONVERSATION):
            yield parsed


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """The index of the samples."""
    directory = tmp_path_factory.mktemp("samples") / "traces"
    directory.symlink_to(SAMPLES)
    with open_index(directory) as index:
        index.refresh()
        yield index


@pytest.mark.parametrize("session", SESSIONS)
def test_same_answer_about_every_pin(samples: Index, session: str) -> None:
    """A pin that the inspector finds in a prompt stands there for the check, and the other way round."""
    sent = {call.id: call for call in samples.calls(session)}
    asked = 0
    for path in sorted(SAMPLES.glob(f"{session}-*/*.jsonl")):
        for read in read_requests(path):
            call = sent[read.record["id"]]
            body = read.request.body()
            if call.server is not None and seen(body) == body:
                continue  # the server took something in the call itself: the check judges what was sent
            prompt = prompt_of(body, api=read.record.get("api"))
            for pin in samples.pins(session):
                text, regex = pin.target.get("text"), pin.target.get("regex")
                in_scope = call.purpose is None if pin.scope is None else call.lane == pin.scope
                if pin.since_call is None or call.number < pin.since_call or not in_scope or not (text or regex):
                    continue
                if pin.released_call is not None and call.number >= pin.released_call:
                    continue
                asked += 1
                assert judge_pin(prompt, text, regex).ok is (call.number not in pin.gone), (pin.excerpt, call.number)
    assert asked or not samples.pins(session)
