"""The text of a document and its pins, as on the Chunks page, without what stands beside them there: a key is answered
sooner.
"""

from __future__ import annotations

import streamlit as st

from chunking.splitting.pins.stored_pins import PINS
from components.chunks.pin_editor import pin_editor
from components.chunks.present_split import PresentSplit
from components.kit.browser import deliver_code
from components.kit.viewer import ViewActions, ViewLayers, chunk_bands, deliver_text, viewer
from components.session.workspace import document, workspace
from components.streamlit_patches.rerun_requests import correct_streamlit
from tests.support.pin_keys import walked_config, walked_document

correct_streamlit()
st.set_page_config(layout="wide")
deliver_code()
seed = int(st.query_params.get("seed", "1"))
if f"walk{seed}" not in {row.doc_id for row in workspace().documents()}:
    workspace().put_document(walked_document(seed))
of = document(workspace(), f"walk{seed}")
deliver_text(of)


@st.fragment
def live() -> None:
    """What a key changes."""
    editor = pin_editor(of)
    config = walked_config(seed)
    split = PresentSplit.of(of, config, editor.pins)
    bands = chunk_bands(of, split.boundaries)
    with st.container(key="text"):
        viewer(
            of,
            bands,
            height=6000,
            layers=ViewLayers(pins=editor.marks(split.view)),
            actions=ViewActions(on_pin=editor.set, on_undo=editor.undo, on_ask=lambda *_: None),
        )
    editor.save()


live()
stored = workspace().changes.log(of.doc_id, PINS)
st.text(f"stored: {len(stored.changes)} of {stored.revision}")
