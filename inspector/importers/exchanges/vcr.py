"""VCR cassettes: the HTTP exchanges of a test, of which calls of a model are imported byte for byte."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.importers.base import (
    ImportedAttempt,
    ImportedCall,
    ImportedSession,
    Problem,
    Report,
    reporting,
)
from inspector.importers.exchanges.vcr_cassette import ENTRIES, read_entries
from inspector.importers.exchanges.vcr_exchange import call_of, exchange_of, request_of
from inspector.importers.reading.documents import Document
from inspector.importers.reading.unreadable import MALFORMED, reason_of

_YAML: Final = re.compile(
    rb"(?:\s*(?:#[^\n]*|---[^\n]*|[\w-]+:[ \t]*[^\s\[{][^\n]*)\n)*\s*(?:http_)?interactions:\s*(?:\[\]|\n\s*-[ \n])"
)
"""How a cassette in YAML begins: perhaps a comment, a document's mark or members of one line, then the list."""

_JSON: Final = re.compile(rb'\s*\{\s*(?:"\w+"\s*:\s*[^\s\[{,]+\s*,\s*)*"(?:http_)?interactions"\s*:\s*\[')
"""How a cassette in JSON begins."""


class Vcr:
    """One cassette is one session."""

    name = "vcr"
    title = "VCR cassette (YAML or JSON): `interactions` of `request` and `response`"

    def recognises_head(self, head: bytes) -> bool:
        """Look for the list of interactions, with which a cassette begins."""
        return _YAML.match(head) is not None or _JSON.match(head) is not None

    def recognises(self, sample: Any) -> bool:
        """Look for the list of interactions, wherever it stands."""
        if not isinstance(sample, dict):
            return False
        entries = next((sample[name] for name in ENTRIES if isinstance(sample.get(name), list)), None)
        return entries is not None and all(isinstance(entry, dict) for entry in entries)

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each cassette into a session; one without a call of a model is passed over."""
        for document in documents:
            path = document.path
            with reporting(document.path, report):
                found = _survey(document, report)
                passed_over = _listed(found.others)
                if passed_over:
                    beside = "no calls of a model, passed over" if found.calls else "no call of a model in it, only"
                    report(Problem(str(path), f"{beside}: {passed_over}", lost=False))
                if not found.calls:
                    if not passed_over and not found.broken:
                        report(Problem(str(path), "a cassette without any exchange"))
                    continue
                yield ImportedSession(
                    session=path.stem,
                    format=self.name,
                    source=path.name,
                    digest=document.digest,
                    calls=lambda document=document: _calls(document),  # type: ignore[misc]
                )


@dataclass
class _Survey:
    """What is known of a cassette after it was read once."""

    others: Counter[str]
    """Exchanges that are no calls, by method and path."""
    calls: int = 0
    broken: bool = False


def _listed(others: Counter[str]) -> str:
    return ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in others.items())


def _survey(document: Document, report: Report) -> _Survey:
    found = _Survey(Counter())
    for number, entry in _entries(document, report, found):
        exchange = exchange_of(entry)
        if exchange is None:
            found.others["entries that are no HTTP exchange"] += 1
        elif exchange.call is None:
            found.others[exchange.name] += 1
        else:
            try:
                request_of(exchange)
                found.calls += 1
            except MALFORMED as error:
                found.broken = True
                reason = f"interaction {number}, {exchange.name}: {reason_of(error)}"
                report(Problem(str(document.path), reason))
    return found


def _entries(document: Document, report: Report, found: _Survey) -> Iterator[tuple[int, Any]]:
    """Give the entries with their numbers, from 1, up to where the cassette is damaged."""
    try:
        is_json = document.head().lstrip().startswith(b"{")
        yield from enumerate(read_entries(document.path, is_json=is_json), start=1)
    except MALFORMED as error:
        found.broken = True
        report(Problem(str(document.path), reason_of(error)))


def _calls(document: Document) -> Iterator[ImportedCall]:
    """Read the calls; a request that is sent again, right after it failed, is another try of the same call."""
    held: ImportedCall | None = None
    for _, entry in _entries(document, lambda _: None, _Survey(Counter())):
        exchange = exchange_of(entry)
        call = exchange.call if exchange is not None else None
        if exchange is None or call is None:
            continue
        try:
            one = call_of(exchange, call)
        except MALFORMED:
            continue  # said by the survey
        attempts = _failures(held, one) if held is not None else ()
        if attempts:
            one = call_of(exchange, call, attempts)
        elif held is not None:
            yield held
        held = one
    if held is not None:
        yield held


def _failures(before: ImportedCall, after: ImportedCall) -> tuple[ImportedAttempt, ...]:
    """Give the tries of a call so far, where another goes on with them; empty: it is a call of its own."""
    answer = before.answer
    same = (before.endpoint, before.request) == (after.endpoint, after.request)
    if not same or (answer is not None and answer.error is None):
        return ()
    error = "no answer" if answer is None else answer.error
    return (*before.attempts, ImportedAttempt(None if answer is None else answer.status, error))
