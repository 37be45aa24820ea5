"""Chunkscope in the browser: page settings, navigation, and the workspace that all pages share.

Start it with `make app`, or `streamlit run serve.py`; alone (`streamlit run app.py`) it is for one person: without what serve.py adds,
it lets nobody in in the modes demo and team.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.server.page_imports import import_pages

import_pages()

from components.guide.guide_strip import guide_strip
from components.kit.browser import deliver_code
from components.session import share
from components.session.editing import tell_viewer
from components.session.identity import deployment, is_operator
from components.session.page import page_frame
from components.session.page.run_log import begin_run, logged
from components.session.sign_in import gate
from components.session.workspace import tell_samples
from components.streamlit_patches.lost_clicks import correct_streamlit, note_page
from components.workspaces.invitation_page import answer_invitation
from components.workspaces.others_changes import others_changes
from components.workspaces.snapshot_page import snapshot_line, snapshot_results
from components.workspaces.switcher import switcher

_BRAND = Path(__file__).parent / "components" / "kit" / "brand"

correct_streamlit()
st.set_page_config(page_title="Chunkscope", page_icon=_BRAND / "icon.svg", layout="wide")
st.logo(_BRAND / "logo.svg", size="large")
st.html(_BRAND / "contrast.css")
st.html(_BRAND / "direction.css")
st.html(_BRAND / "header.css")
st.html(_BRAND / "tables.css")

gate()
answer_invitation()
page = st.navigation(
    [
        st.Page("pages/documents.py", title="Documents", url_path="documents"),
        st.Page("pages/chunks.py", title="Chunks", default=True),
        st.Page("pages/index.py", title="Index", url_path="index"),
        st.Page("pages/search.py", title="Search", url_path="search"),
        st.Page("pages/evaluate.py", title="Evaluate", url_path="evaluate"),
        st.Page("pages/tune.py", title="Tune", url_path="tune"),
        st.Page("pages/export.py", title="Export", url_path="export"),
        *([st.Page("pages/agents.py", title="Agents", url_path="agents")] if deployment().settings.answers_agents else []),
        *([st.Page("pages/operators.py", title="Operators", url_path="operators")] if is_operator() else []),
    ],
    position="top",
)
note_page()
page_frame.arrive(page.url_path)
begin_run(page.url_path or "chunks")
share.read_address()
deliver_code()
switcher()
if not snapshot_line() and page.url_path != "operators":
    others_changes()
    tell_viewer()
    tell_samples()
    guide_strip()
with logged():
    if not snapshot_results(page.url_path):
        page.run()
share.write_address()
