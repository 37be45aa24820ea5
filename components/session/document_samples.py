"""Documents that live recall and estimates work on, chosen once per question set."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import QuestionSet, documents_key
from chunking.evaluation.document_sample import DocumentSample, live_sample
from chunking.store import Workspace
from components.session.document_caches import clear_when_unused
from components.session.workspace import workspace

__all__ = ["sample_for"]


def sample_for(target: Workspace, questions: QuestionSet) -> DocumentSample:
    """Return the documents to encode for a question set; see `live_sample`."""
    return _sample(target.uri, target.derived(documents_key), questions.fingerprint, questions)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=16)
def _sample(address: str, documents: str, fingerprint: str, _questions: QuestionSet) -> DocumentSample:
    return live_sample(workspace(), _questions)
