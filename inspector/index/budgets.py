"""The budgets of a session: what the agent recorded it allows itself by layer, and what the settings say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import duckdb

from inspector.index.queries import find_session
from inspector.index.store import clean
from inspector.model.layers import Layer
from inspector.model.settings import Settings


def load_layer_budgets(cursor: duckdb.DuckDBPyConnection, session: str, settings: Settings) -> dict[Layer, int]:
    """Return how many tokens each layer of a session may take; layers without a budget are absent.

    What the agent recorded goes before the settings; of several headers the last one that names a layer counts.

    Raises:
        SessionNotFoundError: There is no such session.
    """
    find_session(cursor, session)
    rows = cursor.execute(
        "SELECT header FROM store.sections WHERE session = ? ORDER BY section", [clean(session)]
    ).fetchall()
    found = _by_layer(settings.budgets)
    for (header,) in rows:
        recorded = json.loads(header).get("budgets")
        if isinstance(recorded, dict):
            found |= _by_layer(recorded)
    return found


def _by_layer(budgets: Mapping[str, Any]) -> dict[Layer, int]:
    """Leave out the whole prompt's budget, which is no layer's, and layers that this version does not know."""
    known = {layer.value for layer in Layer}
    return {
        Layer(name): limit
        for name, limit in budgets.items()
        if name in known and isinstance(limit, int) and not isinstance(limit, bool)
    }
