"""Where labelled texts stand in contents, looked for once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspector.index.contents import Content
from inspector.model.labels import Label, LabelSet
from inspector.model.layering import PlacedLabel
from inspector.model.request import Message
from inspector.model.spans import find_texts

Places = tuple[tuple[int, int], ...]
"""Part and first character of each place."""


@dataclass(frozen=True)
class Labelled:
    """What labels say about one message of a prompt."""

    labels: tuple[PlacedLabel, ...]
    message_label: Label | None


class LabelPlaces:
    """The places of every text that some label of a session names, by content."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._list: list[str] = []
        self._looked: dict[int, int] = {}
        self._found: dict[int, dict[str, Places]] = {}

    def expect(self, texts: Iterable[str]) -> None:
        """Announce texts that labels name."""
        for text in texts:
            if text and text not in self._texts:
                self._texts[text] = len(self._list)
                self._list.append(text)

    def unchecked(self, contents: Collection[int]) -> list[int]:
        """Return the contents in which some text was not looked for."""
        total = len(self._list)
        return [content for content in contents if self._looked.get(content, 0) < total]

    def look(self, messages: Mapping[int, Message]) -> None:
        """Look for the texts in contents."""
        for content, message in messages.items():
            new = self._list[self._looked.get(content, 0) :]
            hits: dict[str, list[tuple[int, int]]] = {}
            for number, part in enumerate(message.parts):
                for text, starts in find_texts(part.text, new).items():
                    hits.setdefault(text, []).extend((number, start) for start in starts)
            if hits:
                found = self._found.setdefault(content, {})
                found.update((text, tuple(places)) for text, places in hits.items())
            self._looked[content] = len(self._list)

    def settings(self, contents: Sequence[int], known: Mapping[int, Content], labels: LabelSet) -> dict[int, Labelled]:
        """Say what the labels in force say about a prompt.

        Args:
            contents: Its rows.
            known: What is known of each content.
            labels: The labels in force.

        Returns:
            By row, from 0; only rows that some label is about.
        """
        if not labels.labels:
            return {}
        counted: dict[int, int] = {}
        answer: dict[int, Labelled] = {}
        for at, content in enumerate(contents):
            found = self._found.get(content)
            whole = labels.by_message.get(known[content].hash) if labels.by_message else None
            placed = tuple(_placed(found, known[content].hash, labels, counted)) if found else ()
            if placed or whole is not None:
                answer[at] = Labelled(placed, whole)
        return answer


def _placed(
    found: Mapping[str, Places], digest: str, labels: LabelSet, counted: dict[int, int]
) -> Iterable[PlacedLabel]:
    for text, places in found.items():
        for label in labels.by_text.get(text, ()):
            if label.within is not None and label.within != digest:
                continue
            chosen = places
            if label.occurrence is not None:
                before = 0 if label.within is not None else counted.get(label.order, 0)
                counted[label.order] = before + len(places)
                at = label.occurrence - before - 1
                chosen = places[at : at + 1] if at >= 0 else ()
            if chosen:
                yield PlacedLabel(label, chosen)
