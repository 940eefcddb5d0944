"""The index: trace files in, answers out. All SQL of the project is in here."""

from inspector.index.index import Index
from inspector.index.opening import open_index
from inspector.index.sql import Table

__all__ = ["Index", "Table", "open_index"]
