"""What results print in a shell, and that this changes nothing else of them."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import pytest

from chunking.display import one_line, printable, quantity, summary_line
from chunking.evaluation import AnswerSpan, Imported, Problem, ProblemKind, Question, QuestionSet, SweepReport
from chunking.parsing import parse
from chunking.retrieval import SearchResult
from chunking.splitting import Chunks, chunk_document
from chunking.store import Workspace
from tests.viewing.static_html.results import EMPTY, ORDINARY, chunks_of, ordinary_results


def searched(kind: str) -> SearchResult:
    """A search among the results."""
    result = ordinary_results()[kind]
    assert isinstance(result, SearchResult)
    return result


TEXT = "# Backups\n\n" + "A full copy is kept for thirty days, then deleted. " * 200


@pytest.mark.parametrize("kind", [*ORDINARY, *EMPTY])
def test_the_same_value_comes_out_of_a_pickle_and_a_copy(kind: str) -> None:
    """As the store, the caches and other processes get it."""
    value = ordinary_results()[kind]
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value)):
        assert (type(again), again, repr(again)) == (type(value), value, repr(value))


def test_a_document_and_a_chunk_are_a_line() -> None:
    """With what tells one from another."""
    document = parse(TEXT.encode(), "guide/handbook.md")
    chunk = chunk_document(document)[1]
    for value, facts in (
        (document, ["guide_handbook", "Backups", f"{len(document.text):,}"]),
        (chunk, [chunk.chunk_id, f"{chunk.token_count}"]),
    ):
        assert "\n" not in repr(value)
        assert len(repr(value)) < 250
        assert all(fact in repr(value) for fact in facts)
    assert not hasattr(document, "__dict__")
    assert not hasattr(chunk, "__dict__")


def test_chunks_are_a_list() -> None:
    """Equal to one, sliced into chunks, and short."""
    chunks = chunks_of(TEXT)
    assert chunks == list(chunks)
    assert isinstance(chunks, list)
    assert type(chunks[2:5]) is Chunks
    assert chunks[2:5] == list(chunks)[2:5]
    assert chunks[-1] == list(chunks)[-1]
    assert len(repr(chunks).splitlines()) == 12
    assert len(repr(chunks)) < 1_500
    assert repr(Chunks()).count("0") == 1


def test_a_table_of_chunks() -> None:
    """A row each; the columns are there without chunks, too."""
    chunks = chunks_of(TEXT)
    table = chunks.to_pandas()
    assert list(table["content"]) == [one.content for one in chunks]
    assert list(table["end"] - table["start"]) == [len(one.content) for one in chunks]
    assert list(Chunks().to_pandas().columns) == list(table.columns)
    assert len(Chunks().to_pandas()) == 0


def test_a_search_in_a_shell_can_be_read() -> None:
    """The query, and a citation and the beginning of the text of each hit."""
    result = searched("search")
    lines = repr(result).splitlines()
    assert "backup" in lines[0]
    assert len(lines) == 1 + len(result.notes) + 2 * len(result.results)
    assert result.results[0].citation in lines[-2]
    assert all(len(line) < 140 for line in lines)


def test_parts_of_a_search_are_short() -> None:
    """Its documents and its context, whatever texts they hold."""
    result = searched("search")
    assert all(len(repr(one)) < 300 and one.doc_id in repr(one) for one in result.documents)
    assert f"{result.context.tokens}" in repr(result.context)
    assert result.context.text[:40] not in repr(result.context)


def test_a_table_of_hits() -> None:
    """Ranks, spans and texts, and what each leg said; the same columns without hits."""
    result, nothing = searched("search"), searched("no hits")
    table = result.to_pandas()
    assert list(table["rank"]) == list(range(1, len(table) + 1))
    assert list(table["text"]) == [one.chunk.content for one in result.results]
    assert [f"{leg}_rank" in table.columns for leg in result.weights] == [True] * len(result.weights)
    assert list(nothing.to_pandas().columns) == list(table.columns)


def test_questions_and_their_problems_are_short() -> None:
    """However many there are."""
    question = Question("q", "How long?" * 100, (AnswerSpan("a", 0, 9, "x" * 9),))
    questions = QuestionSet("faq", tuple(replace(question, id=f"{number}") for number in range(500)))
    problem = Problem(3, "Why?", ProblemKind.NOT_FOUND, "s" * 1_000)
    imported = Imported(questions, (problem,) * 40)
    assert "500" in repr(questions)
    assert len(repr(questions)) < 200
    assert len(repr(imported)) < 1_500
    assert "35" in repr(imported).splitlines()[-1]
    assert len(repr(SweepReport("sizes", tuple(map(str, range(2_000)))))) < 200


def test_a_workspace_says_where_it_is() -> None:
    """As it would be opened again."""
    assert repr(Workspace("memory://")) == "Workspace('memory://')"


@pytest.mark.parametrize(
    ("text", "most", "line"),
    [
        ("", 5, ""),
        ("one two", 7, "one two"),
        ("one two", 6, "one t…"),
        ("a\n\n b\t c", 9, "a b c"),
        ("蓝" * 9, 4, "蓝蓝蓝…"),
        ("\u202eab\u2066", 9, "ab"),
        ("a" * 10_000, 1, "…"),
    ],
)
def test_one_line_is_clipped_with_an_ellipsis(text: str, most: int, line: str) -> None:
    """At most so long, and only of a text that goes on with an ellipsis."""
    assert one_line(text, most) == line


def test_a_line_of_facts() -> None:
    """Each is bounded; line feeds and tabs stay in a text that is shown as it is."""
    assert len(summary_line("Run", "x" * 10_000, "y" * 10_000)) < 300
    assert printable("a\n\tb\x00\ud800") == "a\n\tb\ufffd\ufffd"
    assert quantity(0, "chunk") == "0 chunks"
