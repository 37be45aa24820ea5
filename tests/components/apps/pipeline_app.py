"""The pipeline strip and the context of one search."""

from __future__ import annotations

import streamlit as st

from components.kit.browser import deliver_code
from components.search.context_panel import context_panel
from components.search.pipeline import pipeline
from tests.components.apps.made_search_result import parent_result

st.set_page_config(layout="wide")
deliver_code()
pipeline(parent_result())
context_panel(parent_result(), height=300)
