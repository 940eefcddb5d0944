"""The Streamlit entry: page config, navigation, the frame and the dialog over it; nothing else.

Run it with ``streamlit run inspector/app.py -- [DIR] [--allow-remote]``; without DIR it opens the samples.
"""

from __future__ import annotations

import streamlit as st

from inspector.ui import (
    call_page,
    compare_page,
    export_dialog,
    frame,
    probes_page,
    session_page,
    sessions_page,
    trace_page,
)

st.set_page_config(page_title="Context Inspector", layout="wide", initial_sidebar_state="collapsed")
page = st.navigation(
    [
        st.Page(sessions_page.render, title="Sessions", url_path="", default=True),
        st.Page(session_page.render, title="Session", url_path="session"),
        st.Page(call_page.render, title="Call", url_path="call"),
        st.Page(compare_page.render, title="Compare", url_path="compare"),
        st.Page(trace_page.render, title="Trace", url_path="trace"),
        st.Page(probes_page.render, title="Probes", url_path="probes"),
    ],
    position="hidden",  # its links would drop the parameters of the address
)
if frame.render(page.url_path):
    page.run()
    export_dialog.render()
