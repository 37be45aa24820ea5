"""Generate questions with a language model: estimate, prompt, progress and review before saving."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import QUESTIONS_PROMPT, Imported, generate_with_llm, questions_estimate
from chunking.evaluation.document_sample import document_sample
from chunking.llm.endpoints import endpoint
from chunking.store import Workspace
from components.evaluate.questions.question_review import review, saved_questions
from components.kit.button import button
from components.kit.wording import plain
from components.session.current_workspace import editing
from components.session.document_caches import clear_when_unused
from components.session.endpoint_status import endpoint_status, server_name
from components.session.host import deployment, host
from components.session.page.page_frame import sentences

__all__ = ["model_form", "sample_note"]

_MADE = "asking"
_NAME = "Questions by a language model"
_MOST = 50


def model_form(target: Workspace) -> None:
    """Draw the estimated cost with the button that asks the model, or the review of its questions.

    Draws a hint instead if no language model is configured.
    """
    endpoint_status("llm", needed=False)
    if not server_name("llm"):
        st.caption("Without one, generate questions by rule, import some, or write them on the Chunks page.")
        return
    kept = st.session_state.get(_MADE)
    if kept is not None:
        with sentences():
            if review(target, kept[1], key=_MADE, place="passage"):
                st.rerun()
            st.button("Discard", key="asking.forget", on_click=lambda: st.session_state.pop(_MADE, None))
        return
    most = int(st.number_input("Questions, at most", 1, 500, _MOST, 10, key="asking.most", width=150))
    with sentences():
        needs = _bill(target, most)
        sample_note(target)
        with st.container(horizontal=True):
            place = st.empty()
            with st.popover("Prompt"):
                st.code(QUESTIONS_PROMPT, language=None, wrap_lines=True)
        if button("Generate questions", place=place, type="primary", key="asking.go", **editing()):
            st.session_state[_MADE] = ((), _ask_model(target, most, needs, place))
            st.rerun()


def sample_note(target: Workspace) -> None:
    """Draw how many documents the questions come from, if not from all."""
    if note := target.derived(document_sample).note:
        st.caption(
            f"Questions come from {note}, sampled evenly.",
            help="The documents are read into memory, up to 20 million characters of them.",
        )


@clear_when_unused
@st.cache_data(show_spinner="Estimating requests …", max_entries=8)
def _needs(
    address: str, version: str, server: str, turn: int, sets: str, most: int, _target: Workspace
) -> dict[str, float | None]:
    """Return the estimated requests, tokens and cost, cached per workspace version and server."""
    documents = list(_target.read_documents(_target.derived(document_sample).doc_ids))
    needs = questions_estimate(
        documents, endpoint("llm"), cache=_target.texts, most=most, existing=saved_questions(_target, _NAME)
    )
    return {
        "requests": needs.requests,
        "cached": needs.cached,
        "in": needs.prompt_tokens,
        "out": needs.answer_tokens,
        "cost": needs.cost,
    }


def _bill(target: Workspace, most: int) -> dict[str, float | None]:
    """Draw the estimated requests, tokens and cost, and return them."""
    turn = st.session_state.get("asking.turn", 0)
    needs = _needs(target.uri, target.version(), server_name("llm"), turn, target.question_sets.version, most, target)
    facts = [
        ("Requests", f"{needs['requests']:,}", "One per passage; passages come from all documents."),
        (
            "Tokens read",
            f"≈ {needs['in']:,}",
            "Tokens of all prompts, estimated from their length; the server may count differently.",
        ),
        ("Tokens written", f"≤ {needs['out']:,}", "At most, if the model keeps to the requested length."),
    ]
    if needs["cost"] is not None:
        facts.append(("Cost", f"≈ {needs['cost']:,.2f}", "In the currency of the prices configured with the endpoint."))
    if needs["cached"]:
        facts.append(
            ("Cached", f"{needs['cached']:,}", "Passages that this model was already asked about: cached, free.")
        )
    with st.container(horizontal=True, gap="medium", key="asking.needs"):
        for label, value, how in facts:
            st.metric(label, value, help=how, width=140)
    return needs


def _ask_model(
    target: Workspace, most: int, needs: dict[str, float | None], place: st.delta_generator.DeltaGenerator
) -> Imported:
    """Generate questions with the model; answers so far are cached if the user stops it.

    Raises:
        QuotaError: the user's daily quota would be exceeded.
    """
    from chunking.llm import Client

    person = host().user()
    deployment().quotas.check_llm(person.id if person else "", int(needs["requests"] or 0), needs["cost"] or 0.0)
    server = endpoint("llm")
    assert server is not None
    st.session_state["asking.turn"] = st.session_state.get("asking.turn", 0) + 1
    documents = list(target.read_documents(target.derived(document_sample).doc_ids))
    place.button("Stop", key="asking.stop", help="Answers so far are cached and free when asked again.")
    bar = st.progress(0.0, "Asking …")

    def tell(sentence: str) -> None:
        bar.progress(_share(sentence), plain(sentence))

    try:
        return generate_with_llm(
            documents,
            Client(server),
            cache=target.texts,
            most=most,
            existing=saved_questions(target, _NAME),
            name=_NAME,
            on_progress=tell,
        )
    finally:
        bar.empty()


def _share(sentence: str) -> float:
    """Return the progress (0 to 1) from a sentence such as `… for 3 of 25 passages …`."""
    numbers = [int(word.replace(",", "")) for word in sentence.split() if word.replace(",", "").isdigit()]
    done, total = numbers[-2:] if len(numbers) > 1 else (0, 1)
    return min(done / total, 1.0) if total else 0.0
