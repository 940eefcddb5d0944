"""Importers of other tools' logs: they write ordinary trace files, marked as imported, with what is missing.

``agents``, ``traces``, ``evaluations``, ``exchanges`` and ``training`` hold the formats: a module named for each, and
beside it those it is made of (``codex`` knows and reads a rollout, ``codex_calls`` rebuilds its requests). ``reading``
reads files and values whatever their format. The modules here lead a file through: ``finding``, ``recognising``,
``run``, ``write``; ``base`` is what they and the formats agree on.
"""

from __future__ import annotations

from inspector.importers.run import IMPORTERS, ImportProgress, ImportSummary, format_names, import_paths

__all__ = ["IMPORTERS", "ImportProgress", "ImportSummary", "format_names", "import_paths"]
