"""Facts about the place of a model's name: in the address or in the body, and Anthropic's version with it."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.probes.replay_dialects import NoPlaceError
from inspector.probes.replay_place import fit_place
from inspector.probes.replay_target import Address

BEDROCK = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m"
NATIVE = {"model": "claude", "messages": []}
RESOLD = {"anthropic_version": "bedrock-2023-05-31", "messages": [], "anthropic_beta": ["context-1m"]}
NEWER = {**RESOLD, "anthropic_version": "2026-10-21"}


@pytest.mark.parametrize(
    ("body", "url", "api", "wanted"),
    [
        ({"modelId": "m", "messages": []}, f"{BEDROCK}/converse", "bedrock.converse", {"messages": []}),
        (RESOLD, f"{BEDROCK}/invoke", "anthropic.messages", RESOLD),
        (
            NATIVE,
            f"{BEDROCK}/invoke",
            "anthropic.messages",
            {"messages": [], "anthropic_version": "bedrock-2023-05-31"},
        ),
        (NEWER, f"{BEDROCK}/invoke", "anthropic.messages", NEWER),
        (
            NATIVE,
            "https://x/v1/publishers/anthropic/models/claude:rawPredict",
            "anthropic.messages",
            {"messages": [], "anthropic_version": "vertex-2023-10-16"},
        ),
        ({"model": "g", "contents": []}, "https://x/v1beta/models/g:generateContent", "gemini", {"contents": []}),
        (NATIVE, "https://api.anthropic.com/v1/messages", "anthropic.messages", NATIVE),
    ],
)
def test_the_model_is_named_once(body: dict[str, Any], url: str, api: str, wanted: dict[str, Any]) -> None:
    """Servers that name it in the address refuse it in the body."""
    assert fit_place(body, Address(url, api, own=True), None).body == wanted


def test_a_call_of_bedrock_is_asked_at_anthropic_by_another_name() -> None:
    """Its model is named in another way there, and its betas are a header; both are said."""
    there = Address("https://api.anthropic.com/v1/messages", "anthropic.messages", own=False)
    fitted = fit_place(RESOLD, there, "claude-x")

    assert fitted.body == {"messages": [], "model": "claude-x"}
    assert "context-1m" in fitted.notes[0]
    with pytest.raises(NoPlaceError, match="--model"):
        fit_place(RESOLD, there, None)
