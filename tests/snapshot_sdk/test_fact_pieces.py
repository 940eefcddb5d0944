"""Lines found by a look at their pieces."""

from __future__ import annotations

import re

from snapshot_sdk._fact_pieces import PieceFilter
from snapshot_sdk.facts import Fact, Matcher


def lines(text: str, wanted: str) -> list[str]:
    """The lines that hold a piece with a number."""
    found = PieceFilter(re.compile("[0-9]"), lambda piece: wanted in piece).lines(text)
    return [text[begin:end] for begin, end in found]


def test_a_line_is_given_whole() -> None:
    """However far in its piece stands, and once."""
    text = '{"a": "1", "b": "27", "c": "27"}\n{"a": "3"}\n{"b": "27"}'

    assert lines(text, "27") == ['{"a": "1", "b": "27", "c": "27"}', '{"b": "27"}']


def test_a_piece_ends_where_another_key_begins() -> None:
    """Also behind a bare number."""
    seen: list[str] = []

    def look(piece: str) -> bool:
        seen.append(piece)
        return False

    assert list(PieceFilter(re.compile("[0-9]"), look).lines('{"a": 1, "b": "two 2", "c": [3]}')) == []
    assert seen == ['{"a": 1', ', "b": "two 2"', ', "c": [3]}']


def test_a_line_that_asks_is_judged_as_a_whole() -> None:
    """What is denied and asked may stand in two pieces."""
    assert lines('"不是1", "吗"', "nothing") == ['"不是1", "吗"']


def test_an_amount_in_a_long_line_of_json_is_found() -> None:
    """Between thousands of others, some of them in digits alike."""
    rows = ", ".join(f'{{"sku": "SKU-{n:05}", "price": "{n},850.00", "rate": 0.85{n}}}' for n in range(400))
    text = f'[{rows}, {{"budget": "8,500元"}}, {rows}]'

    match = Matcher(Fact("money", "8500元")).match(text)

    assert [sighting.text for sighting in match.sightings] == ["8,500元"]


def test_a_slip_of_an_id_in_a_long_line_of_json_is_found() -> None:
    """Between thousands of others of its series."""
    rows = ", ".join(f'{{"id": "ORD-2024-{n:04}"}}' for n in range(3_000, 3_400))

    match = Matcher(Fact("id", "ORD-2024-0815")).match(f'[{rows}, {{"id": "ORD-2024-0851"}}]')

    found = {rival.text for rival in match.rivals}
    assert "ORD-2024-0851" in found
    assert "ORD-2024-3333" not in found
