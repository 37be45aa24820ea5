"""The pipeline strip and the context of one search."""

from __future__ import annotations

import streamlit as st

from components.kit.browser import deliver_code
from components.search.context_panel import context_panel
from components.search.pipeline import pipeline
from tests.components.apps.made_search_result import found_parents

st.set_page_config(layout="wide")
deliver_code()
pipeline(found_parents())
context_panel(found_parents(), height=300)
