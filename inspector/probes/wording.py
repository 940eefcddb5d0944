"""What a probe expects, in words that read quickly."""

from __future__ import annotations

import re
from typing import Final

from inspector.probes.probe import Expected
from snapshot_sdk.facts import Fact

_ALTERNATIVE: Final = re.compile(r"(?:\(\?i:(?P<folded>[^()|\\.^$*+?{}\[\]]+)\)|(?P<plain>[^()|\\.^$*+?{}\[\]]+))")
"""One of several words of a pattern, in brackets if its case does not count."""


def fact_words(fact: Fact) -> str:
    """Write a fact and its kind: ``ORD-2024-001 (id)``, ``“中文” or “汉语”``, ``matches /A-[0-9]+/``.

    Args:
        fact: The fact.
    """
    if fact.kind == "regex":
        return _pattern_words(fact.text)
    path = f"{fact.path} = " if fact.path else ""
    return f"{path}{fact.text} ({fact.kind})"


def _pattern_words(pattern: str) -> str:
    """A pattern that only lists words is read as these words; any other stays a pattern."""
    found = [_ALTERNATIVE.fullmatch(one) for one in pattern.split("|")]
    words = [one["folded"] or one["plain"] for one in found if one is not None]
    if len(words) < len(found):
        return f"matches /{pattern}/"
    said = [f"“{word}”" for word in words]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def expected_words(expected: Expected) -> str:
    """Write what an answer must be.

    Args:
        expected: Of a probe.
    """
    said = [" and ".join(fact_words(fact) for fact in expected.facts)] if expected.facts else []
    if expected.must_abstain:
        said.append("that it is not known")
    if expected.must_not_say:
        said.append("not " + ", ".join(fact_words(fact) for fact in expected.must_not_say))
    return "; ".join(said) or "anything"
