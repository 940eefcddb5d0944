"""What looking needs of a session, kept while the index stays as it is: the pages Probes and Session share it."""

from __future__ import annotations

from typing import Final

import streamlit as st

from inspector.index import Index
from inspector.probes.look import SessionFacts, read_facts
from inspector.ui import state

_KEPT: Final = 2
"""Sessions whose contexts stay in memory."""


def session_facts(session: str) -> SessionFacts:
    """Return what is known of a session without asking a model.

    Args:
        session: Its id.
    """
    index = state.get_index()
    return _facts(index, index.version, str(index.directory), session)


# The index is no part of the key: `version` and `directory` decide what it says.
@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def _facts(_index: Index, version: int, directory: str, session: str) -> SessionFacts:
    return read_facts(_index, session, state.changes(session))
