"""Model of the notebook viewer: documents, settings that split them, and messages to the browser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from chunking.config import Config, settings
from chunking.config.config import value_label
from chunking.config.settings import Setting
from chunking.display import quantity
from chunking.errors import ChunkscopeError, ConfigError, QuestionError
from chunking.evaluation import LiveRecall, LiveScores, Measure, QuestionSet, answer_states, load_set
from chunking.model import Chunk, Document
from chunking.notebook.documents import documents_of, measured_chunker, workspace_documents
from chunking.paths import AnyPath
from chunking.splitting import Boundaries, Split, headings_key
from chunking.viewing.messages import (
    AnswerSpans,
    Bands,
    DialTrial,
    Goto,
    TextMessage,
    answer_spans,
    answers_message,
    chunk_bands,
    dial_message,
    letters,
    number_of,
    text_message,
    view_message,
    with_trial,
)
from chunking.viewing.static_html.documents import chunks_html

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = ["DOCUMENT", "MOST_CHARACTERS", "SETTINGS", "Exploration"]

SETTINGS = ("size", "overlap", "strategy", "prefix")
"""Keys of the settings with a control, in display order."""
DOCUMENT = "document"
"""Key of the control that selects a document."""
MOST_CHARACTERS = 10_000_000
"""Maximum characters of a document.

A slider's step sends about 70 KB per million characters, and notebook servers drop more than a megabyte a second.
"""
_NEED_OTHERS = frozenset({"custom", "summary", "context"})
"""Choices that need a user's splitter or language model: offered only if already selected."""
_RUNS = 1_000_000


class Exploration:
    """Documents under changing settings, with the messages that draw them.

    Attributes:
        config: the present settings, of all documents.
        document: the one that is shown.
        boundaries: its chunks.
        bands: the same as they are drawn.
        at: a character of the selected chunk; it stays where boundaries move. None: nothing is selected.
        questions: question set for estimated recall, or None.
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        config: Config | None = None,
        questions: QuestionSet | None = None,
        *,
        titles: Mapping[str, str] | None = None,
        live: LiveRecall | None = None,
    ) -> None:
        """Open the first document.

        Args:
            documents: by id; they are read when they are opened.
            titles: by id, where that asks for no document.
            live: of the questions, over all documents.
        """
        self._documents = documents
        self._titles = dict(titles) if titles else {one: documents[one].title for one in documents}
        self.config, self.questions, self._live = config or Config(), questions, live
        self._faults: dict[str, str] = {}
        self._typed: dict[str, str] = {}
        self._turn = self._run = self._jump = 0
        self.at: int | None = None
        self._goto: int | None = None
        self._trials: tuple[DialTrial, ...] = ()
        self._scores: LiveScores | None = None
        self._text: tuple[Document, TextMessage] | None = None
        self.open(next(iter(self._titles)))

    @classmethod
    def of(
        cls,
        what: Document | Iterable[Document] | Workspace | AnyPath,
        questions: QuestionSet | str | None = None,
        *,
        config: Config | None = None,
    ) -> Exploration:
        """Create an exploration from `explore`'s arguments; questions encode the documents first.

        Raises:
            ConfigError: there is nothing to show.
            QuestionError: none of the answers is in these documents.
        """
        from chunking.store import Workspace

        kept = what if isinstance(what, Workspace) else None
        documents, titles = workspace_documents(kept) if kept else documents_of(what)
        if isinstance(questions, str):
            if kept is None:
                raise QuestionError(
                    (
                        f"The question set '{questions}' is looked up in a workspace; pass explore() a "
                        f"workspace, or the set itself."
                    ),
                    where=questions,
                )
            questions = load_set(kept, questions).questions
        live = None
        if questions is not None:
            if not any(answer.doc_id in titles for question in questions.questions for answer in question.answers):
                raise QuestionError(
                    (
                        f"No answer of '{questions.name}' is in these documents; pass the documents that its "
                        f"questions are about."
                    ),
                    where=questions.name,
                )
            chosen = config or Config()
            of = [documents[doc_id] for doc_id in titles]
            chunker = partial(measured_chunker, embedding=chosen.embedding)
            live = LiveRecall(
                of,
                chosen.embedding,
                questions,
                encodings=kept.encodings if kept else None,
                vectors=kept.vectors if kept else None,
                chunker=chunker,
                shape=chosen,
            )
            live.prepare()
        return cls(documents, config, questions, titles=titles, live=live)

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids of the documents, in display order."""
        return tuple(self._titles)

    @property
    def selected(self) -> int | None:
        """Number of the selected chunk; None without one, or if no chunk holds `at`."""
        return None if self.at is None else self.bands.at(self.at)

    @property
    def chunks(self) -> list[Chunk]:
        """Chunks of the current document, as an index would hold them."""
        return self._result.chunks()

    @property
    def chunk(self) -> Chunk | None:
        """Selected chunk; None if `selected` is."""
        number = self.selected
        return None if number is None else self._result.chunk(number)

    @property
    def scores(self) -> LiveScores | None:
        """Scores over all documents from the last `estimate`; None before, or without questions."""
        return self._scores

    @property
    def faults(self) -> Mapping[str, str]:
        """Error messages of controls with invalid values, by key."""
        return self._faults

    @property
    def _own(self) -> Config:
        """Settings for the document's category."""
        return self.config.for_category(self.document.category)

    def open(self, doc_id: str) -> None:
        """Read and split a document and show it, with no chunk selected.

        Raises:
            ConfigError: there is no such document, or it is too long for a notebook.
            ModelError: the model that counts its tokens is not at hand.
        """
        if doc_id not in self._titles:
            examples = ", ".join(list(self._titles)[:3])
            raise ConfigError(
                f"There is no document '{doc_id[:80]}' here; doc_id is one of {examples} …", where="doc_id"
            )
        document = self._documents[doc_id]
        if len(document.text) > MOST_CHARACTERS:
            raise ConfigError(
                f"{document.source} has {len(document.text):,} characters, and a notebook shows up to "
                f"{MOST_CHARACTERS:,} of one document; look at it in the app (chunkscope app), or pass a part of it.",
                where="doc_id",
            )
        chunker = measured_chunker(document, self.config.embedding)
        self._chunker, self.document, self.at, self._goto = chunker, document, None, None
        self._spans = answer_spans(document, self.questions) if self.questions else None
        self._split()

    def change(self, key: str, value: object) -> None:
        """Set one of `SETTINGS` and split the document again.

        Raises:
            ConfigError: the value is out of range; nothing has changed.
        """
        self.configure(Config.from_settings({key: value}, self.config))

    def configure(self, config: Config) -> None:
        """Replace the settings and split the document again; on an error, the old settings stay.

        Raises:
            ConfigError: recall was prepared for another model, or for other headings.
            ModelError: the model that counts tokens is not at hand.
        """
        before = self.config
        if self._live and (config.embedding != before.embedding or headings_key(config) != headings_key(before)):
            raise ConfigError(
                (
                    "Recall was prepared for another embedding model or other headings; call explore() with the "
                    "new config."
                ),
                where="config",
            )
        self.config = config
        try:
            if config.embedding != before.embedding:
                self._chunker = measured_chunker(self.document, config.embedding)
            self._split()
        except ChunkscopeError:
            self.config = before
            raise
        self._faults, self._typed = {}, {}
        self._turn += 1

    def enter(self, key: str, text: str) -> None:
        """Apply a control's text; if it is invalid the settings stay, and `faults` says why.

        Args:
            key: of `SETTINGS`, or `DOCUMENT` to open the document whose id is `text`.
        """
        text = text.encode("utf-8", "replace").decode()  # half of a surrogate pair is no text
        try:
            turn, faults, typed = self._turn, dict(self._faults), {**self._typed, key: text}
            if key == DOCUMENT:
                self.open(text)
            else:
                self.change(key, text)
            faults.pop(key, None)
        except ChunkscopeError as error:
            faults[key] = str(error)
        self._turn, self._faults, self._typed = turn, faults, typed  # the control keeps what its user is doing

    def select(self, number: int | None, *, scroll: bool = True) -> None:
        """Select a chunk by its number and scroll to it; None clears the selection.

        Raises:
            ConfigError: the document has not as many chunks.
        """
        if number is None:
            self.at = None
            return
        if not 0 <= number < len(self.bands):
            raise ConfigError(
                f"selected_chunk is {number}; the document has {quantity(len(self.bands), 'chunk')}, numbered from 0.",
                where="selected_chunk",
            )
        self.at = int(self.bands.starts[number])
        if scroll:
            self._goto, self._jump = self.at, self._jump + 1

    def pick(self, at: object) -> None:
        """Apply the browser's selection: a character offset or None; anything else is ignored."""
        if at is None:
            self.at = None
        elif isinstance(at, int) and not isinstance(at, bool) and 0 <= at < len(self.document.text):
            self.at = at

    def html(self) -> str:
        """Return the first chunks as static HTML, for a notebook that runs no widget."""
        return chunks_html(self.chunks)

    def _split(self) -> None:
        self._result: Split = self._chunker.split(self._own.chunk)
        self.boundaries: Boundaries = self._result.boundaries
        self.bands: Bands = chunk_bands(self._result.view.document, self.boundaries)

    # -- messages to the browser

    def messages(self, height: int) -> dict[str, Any]:
        """Return the messages of a step by trait name; text and recall are separate."""
        return {
            "_facts": self.text().facts_data,
            "_answers": self.answers(),
            "_view": self.view(height),
            "_form": self.form(),
            "_strip": self.size_strip(),
        }

    def text(self) -> TextMessage:
        """Return the message with text and facts, cached until document or sections change."""
        document = self._result.view.document
        if self._text is None or self._text[0] is not document:
            self._text = document, text_message(document)
        return self._text[1]

    def answers(self) -> dict[str, Any]:
        """Return the message with the gold spans of this document; empty without questions."""
        return answers_message(self._spans) if self._spans else {}

    def view(self, height: int) -> dict[str, Any]:
        """Return the viewer's message: bands, selection, scroll target, answers, and a new run."""
        self._run = (self._run + 1) % _RUNS
        return view_message(
            self._result.view.document,
            self.bands,
            run=self._run,
            looks=self.text().looks,
            at=self.at,
            goto=None if self._goto is None else Goto(self._goto, self._jump),
            height=height,
            answers=self._answer_letters(),
        )

    def _answer_letters(self) -> tuple[AnswerSpans, str] | None:
        if self._spans is None or self.questions is None:
            return None
        return self._spans, letters(answer_states(self.document, self.boundaries, self.questions))

    def size_strip(self) -> dict[str, Any]:
        """Return the message for the histogram of sizes."""
        chunk = self._own.chunk
        return {"doc": self.text().doc, "requested": chunk.size, "unit": chunk.unit.value, "height": 56}

    def form(self) -> list[dict[str, Any]]:
        """Return the controls' messages: the document's if there are several, and `SETTINGS`."""
        rows = []
        if len(self._titles) > 1:
            options = [[doc_id, title] for doc_id, title in self._titles.items()]
            rows.append(_choice(DOCUMENT, "Document", self.document.doc_id, options, self._faults.get(DOCUMENT, "")))
        by_key = {one.key: one for one in settings() if one.key in SETTINGS}
        return rows + [self._control(by_key[key]) for key in SETTINGS]

    def _control(self, setting: Setting) -> dict[str, Any]:
        text, error = setting.text(self.config), self._faults.get(setting.key, "")
        if setting.choices:
            offered = [one for one in setting.choices if one not in _NEED_OTHERS or one == text]
            options = [[one, _capital(value_label(setting.key, one))] for one in offered]
            return _choice(setting.key, setting.title, text, options, error)
        number = number_of(setting, self.config, self._typed.get(setting.key, text), error)
        return {"kind": "number", "key": setting.key, "turn": self._turn, **asdict(number)}

    def estimate(self) -> dict[str, Any]:
        """Estimate `scores` over all documents and return the dial's message; {} without questions.

        Slow: splits every document with the current settings. Adds settings and scores to the dial's trials.

        Raises:
            QuestionError: other settings of `headings_from` need the documents prepared anew.
        """
        if self._live is None or self.questions is None:
            return {}
        measure = Measure(self.config.search.k)
        self._scores = self._live.scores(self.config, measure)
        self._trials = with_trial(self._trials, self._scores, self.config)
        about = f"{measure.label} · {quantity(len(self._scores.question_ids), 'question')}"
        return dial_message(self._trials, about, notes=self._scores.notes)


def _choice(key: str, label: str, value: str, options: Sequence[Sequence[str]], error: str = "") -> dict[str, Any]:
    return {"kind": "choice", "key": key, "label": label, "value": value, "options": options, "error": error}


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
