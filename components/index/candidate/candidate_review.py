"""Page part that reviews a candidate beside its live index, and promotes or drops it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.config import SearchConfig
from chunking.errors import ChunkscopeError
from chunking.evaluation import answer_states, setting_texts, varied_settings
from chunking.evaluation.analysis.answer_changes import AnswerChanges
from chunking.indexing.index_review import CandidatePair, IndexReview, candidate_pair, review
from chunking.splitting import compare_boundaries, new_text
from chunking.store import Workspace, document_labels
from chunking.store.candidate_indexes import candidate_of, previous_of
from components.index.candidate.boundary_strips import AnswerMark, draw_strips, most_changed
from components.index.candidate.gold_answers import answers_panel, known_answers
from components.index.run_plan import BarPart, draw_bars
from components.kit.button import button
from components.kit.viewer import (
    OtherChunks,
    ViewLayers,
    answer_spans,
    deliver_answers,
    deliver_other_chunks,
    deliver_text,
    letters,
    stored_bands,
    viewer,
)
from components.kit.wording import plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.document_caches import clear_when_unused
from components.session.page.page_frame import sentences
from components.session.questions.question_state import active_set
from components.session.workspace import document, workspace, writing
from components.tune.setting_words import spoken_title, spoken_value

__all__ = ["draw_review", "open_review", "reviewed_index", "undo_button"]

_HEIGHT = 460
_PROMOTE = (
    "Searches use the candidate from now on, without a gap. The present index is kept as the previous one, so that "
    "this can be undone, until the next promotion."
)
_DROP = "Deletes the candidate. The live index stays as it is, and the embedding cache too."


def open_review(name: str | None) -> None:
    """Open the review of the candidate of a live index on the Index page; None closes it."""
    share.keep_view(review=name)
    st.rerun()


def reviewed_index(target: Workspace) -> str | None:
    """Return the live index whose candidate is under review; None if there is none any more."""
    name = share.view("review")
    return name if name and candidate_of(name) in {row.name for row in target.indexes()} else None


def draw_review(target: Workspace, name: str) -> None:
    """Draw the review: result and buttons, boundaries as a picture, gold answers, embedded texts."""
    if button("Back to Index", key="review.back", type="tertiary", icon=":material/arrow_back:"):
        open_review(None)
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small", key="review.bar")
    bar.title(f"Candidate of {plain(name)}", anchor=False, width="stretch")
    actions = bar.container(horizontal=True, gap="small", width="content")
    try:
        pair = candidate_pair(target, name)
    except ChunkscopeError as error:
        with actions:
            _drop_button(target, name)
        st.warning(plain(str(error)), icon=":material/warning:")
        return
    with actions:
        if button("Promote", type="primary", icon=":material/publish:", key="review.promote", **editing(help=_PROMOTE)):
            _promote(target, name, pair.candidate.fingerprint)
        _drop_button(target, name)
    st.markdown(
        _settings(pair),
        help="◆ is the live index, which searches use; ● is the candidate. Only settings that differ are listed.",
    )
    compared = _compared(target.uri, target.version(), name)
    with sentences():
        answers = known_answers(target, pair)
        _summary(compared, answers)
        _boundaries(target, compared, answers)
        answers_panel(target, pair, answers)
        _texts(compared)


def _settings(pair: CandidatePair) -> str:
    configs = [one.config.model_copy(update={"search": SearchConfig()}) for one in (pair.live, pair.candidate)]
    old, new = map(setting_texts, configs)
    parts = [
        f"{spoken_title(key)} ◆ **{plain(spoken_value(key, old.get(key, '')))}** → "
        f"● **{plain(spoken_value(key, new.get(key, '')))}**"
        for key in varied_settings(configs)
    ]
    return " · ".join(parts) or "Both were built with the same settings."


def _promote(target: Workspace, name: str, fingerprint: str) -> None:
    with sentences():
        with writing(target):
            target.promote(name, fingerprint)
        st.toast(f"Promoted: {plain(name)} is the candidate now.", icon=":material/check_circle:")
        open_review(None)


def _drop_button(target: Workspace, name: str) -> None:
    if button("Drop", icon=":material/delete:", key="review.drop", **editing(help=_DROP)):
        with sentences():
            with writing(target):
                target.drop_index(candidate_of(name))
            st.toast("Dropped the candidate.", icon=":material/delete:")
            open_review(None)


def undo_button(target: Workspace, name: str) -> None:
    """Draw a button that makes the previous index of a live one live again."""
    help_text = f"Undoes the promotion: {plain(previous_of(name))} becomes {plain(name)}, which is a candidate again."
    if button("Undo the promotion", icon=":material/undo:", key=f"review.undo.{name}", **editing(help=help_text)):
        with sentences():
            with writing(target):
                target.undo_promotion(name)
            st.toast(f"Restored: {plain(name)} is the previous index again.", icon=":material/undo:")
            st.rerun()


@clear_when_unused
@st.cache_resource(show_spinner="Comparing both indexes …", max_entries=4)
def _compared(address: str, version: str, name: str) -> IndexReview:
    """Return the differences of a candidate; cached per version of documents and indexes."""
    return review(workspace(), candidate_pair(workspace(), name))


def _summary(compared: IndexReview, answers: AnswerChanges | None) -> None:
    """Draw the result in a line: answers won and lost, boundaries moved, texts to embed."""
    shared, _, only = _counts(compared)
    texts = compared.texts
    parts = [
        *([f":green[▲ **{len(answers.won):,} won**]", f":orange[▼ **{len(answers.lost):,} lost**]"] if answers else []),
        f"**{only:,} of {shared + only:,}** boundaries moved",
        f"**{texts.new:,}** texts embedded anew, **{texts.reused:,}** reused",
    ]
    st.markdown(" · ".join(parts), help=_how(compared))


def _how(compared: IndexReview) -> str:
    n, all_ = len(compared.documents), compared.comparable
    of = quantity(n, "document") if n == all_ else f"a sample of {n:,} of {all_:,} documents"
    changed = len(compared.pair.changed)
    left_out = (
        f" {quantity(changed, 'document has', 'documents have')} changed since the live index was built, and "
        f"{'is' if changed == 1 else 'are'} not compared."
    )
    return (
        f"Counted in {of}. A boundary is where a chunk ends and new text begins; it has moved if the live index has "
        f"none there. A text is embedded anew if the live index does not have it in the same document."
        f"{left_out * bool(changed)}"
    )


def _counts(compared: IndexReview) -> tuple[int, int, int]:
    """Return the boundaries of both indexes, of the live one only and of the candidate only."""
    rows = [one.boundaries for one in compared.documents]
    return (
        sum(len(one.shared) for one in rows),
        sum(len(one.only_a) for one in rows),
        sum(len(one.only_b) for one in rows),
    )


def _boundaries(target: Workspace, compared: IndexReview, answers: AnswerChanges | None) -> None:
    st.header("Boundaries", anchor=False)
    marks = _marks(answers)
    shown = most_changed(compared.documents, marks)
    if not any(one.moved for one in compared.documents):
        st.caption("Every boundary is where it was.")
    if not shown:
        return
    labels = document_labels(target.documents())
    draw_strips(shown, labels, marks)
    if len(shown) < len(compared.documents):
        st.caption(
            f"{len(shown):,} of {quantity(len(compared.documents), 'document')}: those with answers won or lost first, "
            f"then those with the most boundaries moved."
        )
    read = st.expander("Read a document with both splits", key="review.read", on_change="rerun")
    if read.open:
        with read:
            ids = [one.doc_id for one in shown] + [one.doc_id for one in compared.documents if one not in shown]
            chosen = st.selectbox(
                "Document", ids, format_func=lambda one: labels.get(one, one), key="review.document", width=420
            )
            _text(target, compared.pair, chosen)


def _marks(answers: AnswerChanges | None) -> dict[str, list[AnswerMark]]:
    marks: dict[str, list[AnswerMark]] = {}
    for won, changes in ((True, answers.won), (False, answers.lost)) if answers else ():
        for one in changes:
            for answer in one.question.answers:
                marks.setdefault(answer.doc_id, []).append(AnswerMark(answer.start, won, one.question.text))
    return marks


def _text(target: Workspace, pair: CandidatePair, doc_id: str) -> None:
    """Draw a document with the candidate's chunks as bands, and the live index's beside them."""
    text = document(target, doc_id)
    bands, other = (stored_bands(text, index.chunks_of(doc_id)) for index in (pair.candidate, pair.live))
    begins = new_text(text.text, other)
    chunks = OtherChunks(other.starts, other.ends, begins, other.tokens)
    chosen = active_set()
    questions = chosen.questions if chosen else None
    spans = answer_spans(text, questions) if questions else None
    deliver_text(text, key="review.text")
    deliver_other_chunks(chunks, key="review.other")
    if spans is not None:
        deliver_answers(spans, key="review.answers")
    states = [answer_states(text, one, questions) if questions else () for one in (bands, chunks)]
    st.caption("A is the candidate ●, B the live index ◆.")
    viewer(
        text,
        bands,
        key="review.viewer",
        height=_HEIGHT,
        layers=ViewLayers(
            answers=(spans, letters(states[0])) if spans else None,
            other=(chunks, compare_boundaries(new_text(text.text, bands), begins), letters(states[1])),
        ),
    )


def _texts(compared: IndexReview) -> None:
    """Draw how many texts of the candidate are new and reused, and how many of the live index's are removed."""
    st.header("Embedded texts", anchor=False)
    texts = compared.texts
    rows: Sequence[tuple[str, tuple[BarPart, ...]]] = (
        (
            "● Candidate",
            (
                BarPart(texts.reused, "section", "reused: the live index has them"),
                BarPart(texts.new, "chunk_a", "new: embedded for the candidate"),
            ),
        ),
        (
            "◆ Live index",
            (
                BarPart(texts.reused, "section", "kept: also in the candidate"),
                BarPart(texts.removed, "warning", "removed by a promotion", striped=True),
            ),
        ),
    )
    draw_bars(rows)
    if not compared.pair.same_vectors:
        st.caption("The two indexes have different models or embedding modes, so every text is embedded anew.")
