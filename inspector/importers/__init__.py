"""Importers of other tools' logs: they write ordinary trace files, marked as imported, with what is missing."""

from __future__ import annotations

from inspector.importers.run import IMPORTERS, ImportProgress, ImportSummary, format_names, import_paths

__all__ = ["IMPORTERS", "ImportProgress", "ImportSummary", "format_names", "import_paths"]
