"""The hit cards, and what is known of what was opened."""

from __future__ import annotations

import streamlit as st

from components.kit.browser import deliver_code
from components.search.hits import hits
from tests.components.apps.made_search_result import judged_result, search_result

st.set_page_config(layout="wide")
deliver_code()
result = judged_result() if st.query_params.get("judged") else search_result()
hits(result, st.session_state.get("hits.opened"), height=760)
st.text(f"opened {st.session_state.get('hits.opened')} grouped {st.session_state.get('hits.grouped')}")
