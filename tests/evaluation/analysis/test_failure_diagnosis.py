"""Why a question failed: each cause on a real index, with its numbers and the setting that is likely to help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from chunking.config import Config
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    Cause,
    Diagnosis,
    EvaluationRun,
    Question,
    advice,
    causes,
    diagnose,
)
from chunking.model import Chunk, Document
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.shelf import HANDBOOK, MANUAL, fill
from tests.support.word_embedder import WordEmbedder

RESTORE = "To restore a backup, stop the service, copy the archive back, and start the service again."
LONG = "# Log\n\n" + " ".join(
    f"Entry {number} says that valve {number * 7} was opened and closed." for number in range(60)
)
LONG += "\n\nThe spare key hangs behind the boiler.\n"
RTF = r"{\rtf1\ansi{\header The archive opens at nine\par}Some text about the archive and its rooms.\par}"


@dataclass(frozen=True)
class Shelf:
    """An index with what a diagnosis asks of it."""

    workspace: Workspace
    config: Config

    def document_of(self, doc_id: str) -> Document | None:
        return self.workspace.document(doc_id) if doc_id in self.workspace.index("main").documents() else None

    def chunks_of(self, doc_id: str) -> Sequence[Chunk]:
        return self.workspace.index("main").chunks_of(doc_id)

    def ask(
        self, text: str, doc_id: str, *quotes: str, n: int = 1, depth: int = 30, **search_: str
    ) -> Diagnosis | None:
        """The diagnosis of a question whose answers are quotes of one document."""
        document = self.workspace.document(doc_id)
        places = [document.text.index(quote) for quote in quotes]
        answers = tuple(
            AnswerSpan(doc_id, at, at + len(quote), quote) for at, quote in zip(places, quotes, strict=True)
        )
        config = Config.from_settings({f"search.{key}": value for key, value in search_.items()}, self.config)
        deep = config.search.model_copy(update={"k": depth, "candidates": 3 * depth})
        result = search(self.workspace, text, deep, index="main", embedder=WordEmbedder())
        return diagnose(Question("q", text, answers), result, self.document_of, self.chunks_of, n, config)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Shelf]:
    """Makes an index of files, once each."""
    shelves: dict[tuple[object, ...], Shelf] = {}

    def of(files: dict[str, str], **settings: str) -> Shelf:
        key = (*files, *sorted(settings.items()))
        if key not in shelves:
            config = Config.from_settings(
                {"size": "32", "min_size": "0", "granularities": "none", "prefix": "none"} | settings
            )
            workspace = Workspace.open(tmp_path_factory.mktemp("shelf") / "workspace")
            fill(workspace, files, WordEmbedder(), config)
            shelves[key] = Shelf(workspace, config)
        return shelves[key]

    return of


BOOKS = {"handbook.md": HANDBOOK, "manual.md": MANUAL}


def test_found_whole_is_no_failure(shelf: Callable[..., Shelf]) -> None:
    """Also where two results hold a part each, and only the white space between them is in none."""
    books = shelf(BOOKS)
    assert books.ask("restore a backup stop the service copy the archive back", "handbook", RESTORE) is None
    both = HANDBOOK[HANDBOOK.index("To restore a") : HANDBOOK.index("### Schedule")].strip()
    assert books.ask("restore backup", "handbook", both, n=30) is None


def test_ranked_below_the_cut(shelf: Callable[..., Shelf]) -> None:
    """With its rank in each leg, and what stood above."""
    books = shelf(BOOKS)
    why = books.ask("restore a backup and start the service", "handbook", "Nobody can register alone.")
    assert why is not None
    assert why.cause is Cause.RANKED_BELOW
    assert why.rank is not None
    assert why.rank > 1
    assert set(why.legs) == {"vector", "text"}
    assert f"is at rank {why.rank} of " in why.sentence
    assert why.sentence.endswith("; only the first result counts.")
    assert len(why.higher_ranked) == 1
    assert why.higher_ranked[0].startswith("handbook_chunk")


def test_left_out_for_too_little_evidence(shelf: Callable[..., Shelf]) -> None:
    """The result had the answer, and its score was under the cut: the help is a cut with which it stays."""
    quote = "Accounts are made by an administrator. Nobody can register alone."
    options = {"retrieval": "chunk", "depth": 3, "n": 3}
    books = shelf(BOOKS)
    question = "restore a backup, stop the service, copy the archive back, nobody alone"
    assert books.ask(question, "handbook", quote, **options) is None
    why = books.ask(question, "handbook", quote, cut="0.95", **options)
    assert why is not None
    assert why.cause is Cause.EVIDENCE
    assert why.rank is not None
    key, _, value = why.help.partition("=")
    assert key == "search.cut"
    assert books.ask(question, "handbook", quote, cut=value, **options) is None


def test_trimmed_off(shelf: Callable[..., Shelf]) -> None:
    """The result has the answer's chunk, but only another sentence of it stays."""
    books = shelf(BOOKS, size="120")
    quote = "A full copy is kept for thirty days, then deleted."
    options = {"retrieval": "chunk", "depth": 3, "n": 3}
    question = "restore a backup, stop the service, copy the archive back"
    assert books.ask(question, "handbook", quote, **options) is None
    why = books.ask(question, "handbook", quote, trim="0.9", **options)
    assert why is not None
    assert (why.cause, why.help) == (Cause.EVIDENCE, "search.trim=0.0")


def test_not_found_at_all(shelf: Callable[..., Shelf]) -> None:
    """A search by words that shares none: the other leg is the help."""
    why = shelf(BOOKS).ask("checksums", "handbook", "Nobody can register alone.", mode="text")
    assert why is not None
    assert tells(why.sentence, "not one candidate full-text first")
    assert why == Diagnosis(
        Cause.RANKED_BELOW,
        why.sentence,
        None,
        {"text": None},
        why.higher_ranked if why else (),
        "search.mode=hybrid",
    )


def test_split_by_a_boundary(shelf: Callable[..., Shelf]) -> None:
    """The ranks of its parts; a long answer asks for larger chunks, a short one for overlap."""
    books = shelf(BOOKS)
    start = HANDBOOK.index("Backups run")
    why = books.ask("restore backup checksums", "handbook", HANDBOOK[start : HANDBOOK.index(" before anybody")])
    assert why is not None
    assert why.cause is Cause.SPLIT
    assert why.sentence.startswith("Chunk boundaries split ")
    assert " chunks. In reading order: " in why.sentence
    assert why.help.startswith("size=")
    log = shelf({"log.md": LONG}, size="120")
    chunks = log.chunks_of("log")
    edge = chunks[0].end
    why = log.ask("spare key boiler", "log", LONG[edge - 12 : edge + 14])
    assert why is not None
    assert (why.cause, why.help.partition("=")[0]) == (Cause.SPLIT, "overlap")


def test_split_at_a_heading(shelf: Callable[..., Shelf]) -> None:
    """Neither size nor overlap helps over a heading; fewer headings that split do."""
    start, end = HANDBOOK.index("The restored data"), HANDBOOK.index(" The setting is called")
    why = shelf(BOOKS).ask("account password mail", "handbook", HANDBOOK[start:end])
    assert why is not None
    assert (why.cause, why.help) == (Cause.SPLIT, "heading_levels=1,2")
    assert "at a heading" in why.sentence


@pytest.mark.parametrize(
    ("settings", "help"),
    [
        ({"strategy": "recursive"}, "size=120"),  # blind to headings
        pytest.param(
            {"strategy": "semantic", "semantic_share": "60", "heading_levels": "1"},
            "semantic_share=70",
            marks=pytest.mark.model,
        ),
        ({"category.doc.size": "30"}, "category.doc.size=120"),
        ({"size": "30", "overlap": "29"}, "size=120"),
    ],
)
def test_the_help_is_a_setting_that_counts(shelf: Callable[..., Shelf], settings: dict[str, str], help: str) -> None:
    """Of the strategy and of the category, and one that goes with the other settings."""
    books = shelf({"handbook.md": HANDBOOK}, **settings)
    start = HANDBOOK.index("Backups run")
    why = books.ask("password", "handbook", HANDBOOK[start : HANDBOOK.index(" before anybody")])
    assert why is not None
    assert (why.cause, why.help) == (Cause.SPLIT, help)
    Config.from_settings({why.help.partition("=")[0]: why.help.partition("=")[2]}, books.config)


def test_more_results_where_nothing_else_helps(shelf: Callable[..., Shelf]) -> None:
    """Over the only heading level that splits; as many as show every part."""
    start, end = HANDBOOK.index("The restored data"), HANDBOOK.index(" The setting is called")
    why = shelf(BOOKS, heading_levels="3").ask("account password mail", "handbook", HANDBOOK[start:end], n=4)
    assert why is not None
    assert why.rank is not None
    assert (why.cause, why.help) == (Cause.SPLIT, f"search.k={-(-why.rank // 5) * 5}")


def test_parents_count_as_results(shelf: Callable[..., Shelf]) -> None:
    """Ranks are of chunks, results their parents; a parent that was found holds its chunks."""
    books = shelf(BOOKS)
    paragraph = HANDBOOK[HANDBOOK.index("Backups run") : HANDBOOK.index(" before anybody")]
    assert books.ask("restore a backup", "handbook", paragraph, retrieval="parent") is None
    why = books.ask("restore a backup", "handbook", "Nobody can register alone.", retrieval="parent")
    assert why is not None
    assert why.sentence.endswith("; only the first parent counts.")


def test_dropped_as_a_repeat(shelf: Callable[..., Shelf]) -> None:
    """The same words stand in two documents, and only one of them is shown."""
    pair = {"a.md": RESTORE + "\n", "b.md": RESTORE + "\n", "manual.md": MANUAL}
    answers = [shelf(pair).ask("restore a backup", doc_id, RESTORE, n=2) for doc_id in ("a", "b")]
    why = next(one for one in answers if one is not None)
    assert answers.count(None) == 1
    assert (why.cause, why.help) == (Cause.REPEAT, "search.deduplicate=false")
    assert "result 1 has the same text" in why.sentence
    assert all(
        shelf(pair).ask("restore a backup", doc_id, RESTORE, n=2, deduplicate="false") is None for doc_id in ("a", "b")
    )


def test_cut_off_by_the_models_limit(shelf: Callable[..., Shelf]) -> None:
    """The answer stands behind what the model reads of its chunk."""
    long = shelf({"log.md": LONG, "handbook.md": HANDBOOK}, size="2000")
    why = long.ask("hour of the nightly run", "log", "The spare key hangs behind the boiler.", mode="vector")
    assert why is not None
    assert (why.cause, why.help) == (Cause.CUT_OFF, "size=510")
    assert "reads the first 510 tokens" in why.sentence


def test_not_in_the_parse(shelf: Callable[..., Shelf]) -> None:
    """Left out with a reason, changed since, or gone."""
    page = shelf({"page.rtf": RTF})
    document = page.document_of("page")
    assert document is not None
    why = page.ask("when does the archive open", "page", "The archive opens at nine")
    assert why is not None
    assert (why.cause, why.help) == (Cause.NOT_IN_PARSE, "")
    assert tells(why.sentence, "no chunk 25 left out page header")
    result = replace(
        search(page.workspace, "archive", page.config.search, index="main", embedder=WordEmbedder()), results=()
    )
    changed = Question("q", "?", (AnswerSpan("page", 0, 9, "Some word"),))
    gone = Question("q", "?", (AnswerSpan("lost", 0, 9, "Some word"),))
    diagnoses = [diagnose(one, result, page.document_of, page.chunks_of, 5, page.config) for one in (changed, gone)]
    assert [one.cause for one in diagnoses if one] == [Cause.NOT_IN_PARSE, Cause.NOT_IN_PARSE]
    assert tells([one.sentence for one in diagnoses if one], "0 9 page.rtf changed", "lost document index")


def test_of_several_answers_the_first_on_the_way(shelf: Callable[..., Shelf]) -> None:
    """What fails earlier no later setting can mend."""
    split = HANDBOOK[HANDBOOK.index("Backups run") : HANDBOOK.index(" before anybody")]
    why = shelf(BOOKS).ask("hour of the nightly run", "handbook", "Nobody can register alone.", split)
    assert why is not None
    assert why.cause is Cause.SPLIT
    assert why.sentence.startswith("Answer 2 of 2: ")


def test_counts_and_advice() -> None:
    """Over a run: how many failed by each cause, and the setting that helps most of them."""
    helps = [
        (Cause.SPLIT, "size=200"),
        (Cause.SPLIT, "size=400"),
        (Cause.SPLIT, "size=300"),
        (Cause.RANKED_BELOW, "search.k=10"),
    ]
    rows = [Answered(str(n), (), 0.0, Diagnosis(cause, "…", help=text)) for n, (cause, text) in enumerate(helps)]
    rows += [Answered("x", (), 0.0), Answered("y", (), 0.0, Diagnosis(Cause.NOT_IN_PARSE, "…"))]
    run = EvaluationRun("k", "", Config(), "set", "f", "d", tuple(rows), 5, 30)
    assert causes(run) == {Cause.SPLIT: 3, Cause.NOT_IN_PARSE: 1, Cause.RANKED_BELOW: 1}
    assert [(one.setting, one.questions) for one in advice(run)] == [("size=300", 3), ("search.k=10", 1)]
