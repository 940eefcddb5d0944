"""Words of events."""

from __future__ import annotations

from inspector.model.views import EventRow
from inspector.ui.session_marks import event_words


def test_a_state_event_reads_as_a_change() -> None:
    """Before and after stand with an arrow between them."""
    event = EventRow(
        "state", "main", "", {"key": "budget", "before": "8,000", "after": {"v": 8500}}, "agent/state.py:77", 41
    )
    assert event_words(event) == 'state budget: 8,000 → {"v": 8500}, agent/state.py:77'


def test_a_tool_event_is_named_after_its_tool() -> None:
    """Name first, then the rest as pairs; what is null is not said."""
    event = EventRow("tool", "main", "", {"name": "query", "ms": 2_080, "ok": True, "error": None}, None, 1)
    assert event_words(event) == "tool query: ms 2080 · ok true"


def test_an_event_of_any_kind_shows_its_data_on_one_line() -> None:
    """Line breaks of the user's data never break the line."""
    assert "\n" not in event_words(EventRow("note", "main", "", {"text": "a\nb"}, None, 1))


def test_a_state_update_names_only_what_changed() -> None:
    """Of two states the reader sees the keys that differ: added, removed, changed."""
    before = {"task": "a", "city": "Lisbon", "origin": "?"}
    after = {"task": "a", "city": "Porto", "nights": 3}
    event = EventRow("state", "main", "", {"before": before, "after": after, "error": None}, None, 1)
    assert event_words(event) == "state: +nights 3 · −origin · city Lisbon → Porto"


def test_a_large_state_update_counts_what_it_does_not_name() -> None:
    """A hundred new keys are six and a number."""
    event = EventRow("state", "main", "", {"before": {}, "after": {f"k{n}": n for n in range(100)}}, None, 1)
    assert event_words(event).endswith("+k5 5 · and 94 more")


def test_a_retrieval_says_which_candidates_were_sent() -> None:
    """Scores stay in the record; the line says what reached the prompt."""
    rows = [{"id": "kb-1", "score": 0.8, "sent": True}, {"id": "kb-2", "score": 0.3, "sent": False, "why": "under 0.6"}]
    event = EventRow("retrieval", "main", "", {"query": "fees", "candidates": rows}, None, 1)
    assert event_words(event) == "retrieval: 1 of 2 candidates sent: kb-1 · query fees"


def test_candidates_of_an_odd_shape_do_no_harm() -> None:
    """Events are the user's own data: anything may stand there."""
    assert event_words(EventRow("retrieval", "main", "", {"candidates": ["a", 1]}, None, 1)) == (
        "retrieval: 0 of 2 candidates sent"
    )
