"""Ids that stood beside a fact in its source have not taken its place."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.fact_siblings import without_siblings
from snapshot_sdk.facts import Fact, Matcher

TABLE = Fact("id", "staging.orders_07", ("tables",))
LISTED = "Unread tables: staging.orders_07, staging.orders_08"


def states(block: Callable, *said: tuple[str, str]) -> list[str]:
    """What messages of a role and a text say of the table."""
    matcher = Matcher(TABLE)
    blocks = [block(text, role=role) for role, text in said]
    matches = [matcher.match(text) for _, text in said]
    return [match.state for match in without_siblings(TABLE, blocks, matches)]


def test_a_sibling_is_no_rival(block: Callable) -> None:
    """The user named both tables: a message that names the other one says nothing of this."""
    assert states(block, ("user", LISTED), ("user", "Drop the tables staging.orders_08")) == ["kept", "absent"]


def test_a_stranger_is_one(block: Callable) -> None:
    """A table that no source named beside it stands in its place."""
    said = ("user", LISTED), ("user", "Drop the tables staging.orders_09")
    assert states(block, *said) == ["kept", "distorted"]


def test_what_the_agent_lists_makes_no_siblings(block: Callable) -> None:
    """Only users and tools are sources."""
    said = ("assistant", LISTED), ("user", "Drop the tables staging.orders_08")
    assert states(block, *said)[1] == "distorted"
