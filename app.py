"""Chunkscope in the browser: page settings, navigation, and the workspace that all pages share.

Start it with `make app`, or `streamlit run serve.py`; alone (`streamlit run app.py`) it is for one person, and lets
nobody in in the modes demo and team.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.server.page_imports import import_pages

import_pages()

from components.guide import draw_guide
from components.kit.browser import deliver_code
from components.server.page_styles import draw_styles
from components.session import share
from components.session.current_workspace import show_viewer_note
from components.session.host import deployment, host
from components.session.page import page_frame
from components.session.page.admission import admit
from components.session.page.run_log import begin_run, logged
from components.session.workspace import show_samples_note
from components.streamlit_patches.rerun_requests import correct_streamlit, note_page
from components.workspaces.switcher import switcher

_BRAND = Path(__file__).parent / "components" / "kit" / "brand"

correct_streamlit()
st.set_page_config(page_title="Chunkscope", page_icon=_BRAND / "icon.svg", layout="wide")
st.logo(_BRAND / "logo.svg", size="large")
draw_styles()

admit()
page = st.navigation(
    [
        st.Page("pages/home.py", title="Home", default=True),
        st.Page("pages/documents.py", title="Documents", url_path="documents"),
        st.Page("pages/chunks.py", title="Chunks", url_path="chunks"),
        st.Page("pages/index.py", title="Index", url_path="index"),
        st.Page("pages/search.py", title="Search", url_path="search"),
        st.Page("pages/evaluate.py", title="Evaluate", url_path="evaluate"),
        st.Page("pages/tune.py", title="Tune", url_path="tune"),
        st.Page("pages/export.py", title="Export", url_path="export"),
        *(
            [st.Page("pages/agents.py", title="Agents", url_path="agents")]
            if deployment().settings.answers_agents
            else []
        ),
        *host().pages(),
    ],
    position="top",
)
note_page()
if not page.url_path and share.is_link_to_chunks():
    st.switch_page("pages/chunks.py", query_params=dict(st.query_params))
page_frame.arrive(page.url_path)
begin_run(page.url_path or "home")
share.read_address()
deliver_code()
switcher()
if host().draw_above(page.url_path):
    show_viewer_note()
    show_samples_note()
    if page.url_path:  # the front page has its own way into the guide
        draw_guide()
with logged():
    if not host().draw_instead(page.url_path):
        page.run()
share.write_address()
