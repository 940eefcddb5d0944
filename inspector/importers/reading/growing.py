"""Logs that grow by whole records and not by bytes: databases, and files whose records belong to several sessions."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.importers.reading.documents import Document, digest_of


@dataclass(frozen=True)
class GrowingLog(Document):
    """The records of one session in a file, in an order in which later ones come last.

    What :class:`Document` says in bytes is said in records here: a trace that was imported when there were fewer is
    extended if those are still the first ones.
    """

    records: tuple[str, ...]
    """A digest of each."""

    @property
    def digest(self) -> str:
        """Digest of all records."""
        return digest_of(self.records)

    @property
    def size(self) -> int:
        """Number of records."""
        return len(self.records)

    def digest_to(self, size: int) -> str:
        """Give the digest that the log had when it had ``size`` records and nothing but appended to since."""
        return digest_of(self.records[:size])
