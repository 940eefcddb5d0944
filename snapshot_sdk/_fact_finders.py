"""One way to look for each kind of fact in a folded text."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from snapshot_sdk._fact_json import documents, follow, same_scalar
from snapshot_sdk._fact_kinds import Fact, Finder, Place, Places
from snapshot_sdk._fact_text import Folded, folded
from snapshot_sdk._paths import ANY, parse_path


def finder_of(fact: Fact) -> Finder:
    """Gives the way to look for a fact.

    Args:
        fact: Its text is not empty.

    Raises:
        ValueError: Its text is no value of its kind, no valid pattern, or has no key path.
    """
    if fact.kind == "json":
        return _json_finder(fact)
    if fact.kind == "regex":
        return _regex_finder(fact.text)
    form = folded(fact.text).strip()
    anchors = tuple(anchor for anchor in (folded(one).strip() for one in fact.anchors) if anchor)
    if fact.kind == "text":
        return _text_finder(form)
    if fact.kind == "rule":
        return _rule_finder(form)
    from snapshot_sdk._fact_line_finder import line_finder  # a text needs none of the patterns of values

    return line_finder(fact.kind, form, fact.text.strip(), anchors)


def _text_finder(form: str) -> Finder:
    pattern = _words_pattern(form)
    words = {piece[0] for piece in _PIECE.finditer(form)}

    def find(text: Folded, _: str) -> Places:
        if not all(word in text.text for word in words):  # at once, where the pattern takes its time
            return Places([], [])
        return Places([Place(match.start(), match.end()) for match in pattern.finditer(text.text)], [])

    return find


def _regex_finder(pattern: str) -> Finder:
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no valid regular expression: {error}") from error
    return lambda _, text: Places([Place(m.start(), m.end()) for m in compiled.finditer(text) if m[0]], [])


_PIECE: Final = re.compile(r"[㐀-鿿]|[^\s㐀-鿿]+")


def _words_pattern(form: str) -> re.Pattern[str]:
    """Whole words, whatever spaces stand between them; Chinese has no words to be whole, and lines may end anywhere."""
    inner, last = "", 0
    for piece in _PIECE.finditer(form):
        spaced = piece.start() > last
        chinese = piece[0] > "~" or (inner and form[last - 1] > "~")
        inner += ("" if not inner else r"\s*" if chinese else r"\s+" if spaced else "") + re.escape(piece[0])
        last = piece.end()
    before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", form) else ""
    after = r"(?![a-z0-9])" if re.search(r"[a-z0-9]\Z", form) else ""
    return re.compile(before + inner + after)


def _rule_finder(rule: str) -> Finder:
    from snapshot_sdk._fact_rules import find_rule  # its patterns take longer to compile than all others together

    def find(form: Folded, _: str) -> Places:
        found = find_rule(rule, form.text)
        kept = [Place(one.start, one.end) for one in found if one.state == "kept"]
        restated = [Place(one.start, one.end) for one in found if one.state == "restated"]
        others = [Place(one.start, one.end, why=one.why) for one in found if one.state == "distorted"]
        return Places(kept or restated, others, restated=not kept)

    return find


def _json_finder(fact: Fact) -> Finder:
    if not fact.path:
        raise ValueError("a json fact needs a key path")
    steps = parse_path(fact.path.removeprefix("$."))
    try:
        wanted: Any = json.loads(fact.text)
    except ValueError:
        wanted = fact.text

    def find(_: Folded, text: str) -> Places:
        same, other = [], []
        for document in documents(text):
            for value in follow(document.value, steps):
                if same_scalar(value, wanted):
                    same.append(Place(document.start, document.end))
                else:
                    other.append(Place(document.start, document.end, why=f"{fact.path} is {value}"[:200]))
        return Places(same, [] if same and ANY in steps else other)

    return find
