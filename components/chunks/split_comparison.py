"""Compare the current split (A) with another (B): sizes, boundaries and gold answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunking.config import Config, Strategy
from chunking.evaluation import (
    AnswerState,
    FateChange,
    FateComparison,
    LocatedChunks,
    Question,
    QuestionSet,
    answer_states,
    compare_fates,
)
from chunking.model import Document
from chunking.splitting import Boundaries, BoundaryComparison, ChunkSpans, compare_boundaries, new_text
from chunking.splitting.strategies.custom_splitters import check_splitter, splitter_version
from components.kit.viewer import OtherChunks
from components.kit.wording import plain, quantity, shortened
from components.server.turns import in_turn
from components.session.document_caches import clear_when_unused
from components.session.measured_documents import chunker

__all__ = ["Against", "OtherSplit", "comparison_panel", "split_by_config", "split_by_file"]

_MOST = 30
"""Most questions listed."""
_LONGEST = 90
"""Most characters of a listed question."""

_HELP = (
    "A boundary is where a chunk ends and new text begins, ignoring overlap and white space. Sizes include the "
    "prefix. A gold answer is intact if one chunk holds all of it, split if chunks hold parts of it, missed if "
    "none does."
)

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """The split compared with (B), and the state of each gold answer in it; A may change."""

    other: OtherSplit
    states: tuple[AnswerState, ...]
    """State of each gold answer in B; empty without questions."""

    @classmethod
    def of(cls, other: OtherSplit, questions: QuestionSet | None) -> Against:
        """Return split B with the state of each gold answer in it; no states without questions."""
        return cls(other, answer_states(other.document, other.chunks, questions) if questions else ())

    def boundaries(self, present: Boundaries) -> BoundaryComparison:
        """Return the boundaries that the current split and B share, and those of only one."""
        return compare_boundaries(new_text(self.other.document.text, present), self.other.chunks.begins)


def comparison_panel(
    against: Against,
    boundaries: Boundaries,
    states: Sequence[AnswerState],
    questions: QuestionSet | None,
    on_go: Callable[[int], None],
) -> None:
    """Draw the numbers of both splits, and the questions whose answers fare differently.

    Args:
        boundaries: boundaries of A.
        states: answer states in A, for the same questions.
        on_go: called with the offset of a clicked question's answer.
    """
    fates = compare_fates(states, against.states) if questions else None
    st.markdown(f"**A**: the current settings · **B**: {plain(against.other.name)}", help=_HELP)
    st.markdown(_table(against, boundaries, fates))
    if against.other.notes:
        st.caption(f"⚠ {plain(' '.join(against.other.notes))}")
    if fates is None:
        st.caption("Choose a question set above to see which gold answers each of the two keeps intact.")
    elif questions is not None:
        _changes(fates, {one.id: one for one in questions.questions}, on_go)


def _table(against: Against, boundaries: Boundaries, fates: FateComparison | None) -> str:
    only = against.boundaries(boundaries)
    rows: list[tuple[str, str, str]] = [
        ("Chunks", f"{len(boundaries):,}", f"{len(against.other.chunks):,}"),
        ("Median size (tokens)", _median(boundaries), f"{against.other.median:,.1f}".removesuffix(".0")),
        ("Boundaries of both", f"{len(only.shared):,}", f"{len(only.shared):,}"),
        ("Boundaries of one only", f"{len(only.only_a):,}", f"{len(only.only_b):,}"),
    ]
    if fates:
        rows += [(f"Gold answers {fate.value}", f"{fates.a[fate]:,}", f"{fates.b[fate]:,}") for fate in fates.a]
    return "\n".join(
        ["| In this document | A | B |", "|:--|--:|--:|", *(f"| {name} | {a} | {b} |" for name, a, b in rows)]
    )


def _median(boundaries: Boundaries) -> str:
    return f"{float(np.median(boundaries.tokens)) if len(boundaries) else 0:,.1f}".removesuffix(".0")


def _changes(fates: FateComparison, questions: Mapping[str, Question], on_go: Callable[[int], None]) -> None:
    if not sum(fates.a.values()):
        st.caption("No question of this set is about this document.")
        return
    if not fates.changes:
        st.caption("Both treat every gold answer alike.")
        return
    st.caption(
        f"{quantity(len(fates.changes), 'gold answer fares', 'gold answers fare')} differently; click one to go to it."
    )
    with st.container(gap=None, key="chunks-compare-changes"):
        for number, change in enumerate(fates.changes[:_MOST]):
            st.button(
                _words(change, questions[change.a.question_id]),
                key=f"chunks.compare.change.{number}",
                type="tertiary",
                on_click=on_go,
                args=(change.a.answer.start,),
            )
    if len(fates.changes) > _MOST:
        st.caption(f"… and {len(fates.changes) - _MOST:,} more")


def _words(change: FateChange, question: Question) -> str:
    shown = shortened(" ".join(question.text.split()), _LONGEST)
    return f"A **{change.a.state.value}**, B **{change.b.state.value}**: {plain(shown)}"


@dataclass(frozen=True, slots=True, eq=False)
class OtherSplit:
    """A document split another way (B): its label, its chunks with their tokens, and notes."""

    name: str
    """Label of the split."""
    document: Document
    chunks: OtherChunks
    notes: tuple[str, ...]
    """Notes on how it was made."""

    @property
    def median(self) -> float:
        """Median tokens of a chunk with prefix; 0 without chunks."""
        return float(np.median(self.chunks.tokens)) if len(self.chunks) else 0.0


def split_by_config(of: Document, config: Config, name: str) -> OtherSplit:
    """Split a document with a configuration's settings for its category, or return a cached split.

    Raises:
        ModelError: the model that counts tokens is not available.
        ConfigError: the splitter does not exist, or its package is not installed.
        QuotaError: the document is long, and other long ones are being split.
    """
    own = config.for_category(of.category)
    version = ""
    if own.chunk.strategy is Strategy.CUSTOM:
        check_splitter(own.chunk.splitter)
        version = splitter_version(own.chunk.splitter)
    _, chunks, notes = _by_config(of, own.chunk.model_dump_json(), own.embedding.model_dump_json(), version, own)
    return OtherSplit(name, of, chunks, notes)


# By identity: what is kept holds its document, so that no other one gets its id meanwhile.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=8, hash_funcs={Document: id})
def _by_config(
    of: Document, chunk: str, embedding: str, splitter: str, _config: Config
) -> tuple[Document, OtherChunks, tuple[str, ...]]:
    with in_turn(len(of.text)):
        boundaries = chunker(of, _config.embedding).boundaries(_config.chunk)
        return of, _track(of, boundaries, boundaries.tokens), boundaries.warnings


def split_by_file(of: Document, located: LocatedChunks, config: Config) -> OtherSplit:
    """Return the located chunks of a file as a split, their tokens counted with the current model.

    Raises:
        ModelError: the model that counts tokens is not available.
        QuotaError: the document is long, and other long ones are being split.
    """
    with in_turn(len(of.text)):
        tokens = chunker(of, config.embedding).measured.tokens_between(located.starts, located.ends)
    notes = [
        f"{number:,} {noun if number == 1 else nouns}."
        for number, noun, nouns in (
            (located.not_found, "chunk was not found in this document", "chunks were not found in this document"),
            (located.elsewhere, "chunk is of another document", "chunks are of other documents"),
            (
                located.inside,
                "chunk is inside another one and not drawn",
                "chunks are inside others and not drawn",
            ),
        )
        if number
    ]
    return OtherSplit(located.name, of, _track(of, located, tokens), tuple(notes))


def _track(of: Document, spans: ChunkSpans, tokens: Ints) -> OtherChunks:
    return OtherChunks(spans.starts, spans.ends, new_text(of.text, spans), tokens)
