"""What stands around a rule may merely say it, or change it."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import pytest

from snapshot_sdk._fact_rule_frame import in_string, unframed
from snapshot_sdk.facts import Fact, match_fact

RULE = Fact("rule", "Never feed the cat")


@pytest.mark.parametrize(
    ("text", "why"),
    [("OLD RULE: never feed the cat", "it is said to hold no more"), ("Never feed the cat. Scratch that.", "it is said to hold no more"),
     ("~~Never feed the cat~~", "it is said to hold no more"), ("## Retired rules\n- Never feed the cat", "it is said to hold no more"),
     ("Draft: never feed the cat", "it is not said to hold, but proposed or shown"), ("On Sundays, never feed the cat", "it holds only in part"),
     ("Neighbour gossip: never feed the cat", "it stands under “neighbour gossip”"), ("Never feed the cat (says Bob)", "“says bob” stands beside it"),
     ("Never feed the cat yet", "words are new beside it"), ("Give up \"never feed the cat\"", "words are new beside it"),
     ("Never forget to feed the cat", "the opposite is said"), ("Try never to feed the cat", "it is merely advised")],
)  # fmt: skip
def test_what_changes_a_rule(text: str, why: str) -> None:
    """Taken back, not yet settled, narrowed, or said by nobody knows whom: it is not kept."""
    match = match_fact(RULE, text)
    assert (match.state, match.rivals[0].why) == ("distorted", why)


@pytest.mark.parametrize(
    "text",
    ["The user said: never feed the cat.", "Constraint: never feed the cat", "Please, never feed the cat!", "- [rule] Never feed the cat (from turn 3)",
     "Never feed the cat, because he is fat.", '{"rules": ["Never feed the cat"], "cancelled": true}', "Never feed the cat: the vet does it."],
)  # fmt: skip
def test_what_merely_says_a_rule(text: str) -> None:
    """Who says it, why, and where it is noted."""
    assert match_fact(RULE, text).state == "kept"


def test_a_frame_is_blanked_in_its_place() -> None:
    """What is left keeps its place."""
    assert unframed("the user said that cats") == " " * len("the user said that") + " cats"


def test_of_a_json_string_the_key_counts_alone() -> None:
    """What stands beside it in the document speaks of other things."""
    assert in_string('{"old": 1, "hard_rules": ["', '"], "cancelled": true') == ("hard rules: ", "")
