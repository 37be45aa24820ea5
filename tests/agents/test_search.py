"""Search as an agent gets it: small, within its budget, with notes."""

from __future__ import annotations

import json

import pytest

from chunking.agents import Toolbox, plain_answer
from chunking.config import Config
from chunking.errors import ConfigError, NotFoundError, QueryError
from chunking.indexing import add_files
from chunking.retrieval.context.context_tokens import counter
from chunking.store import FILTERS
from tests.support.facts import tells

_QUESTION = "How is a backup restored?"


def test_the_default_answer_is_small(samples: Toolbox) -> None:
    """Five hits with the four keys that count, in about a thousand tokens."""
    answer = plain_answer(samples.search("How do I rotate the gateway certificates?"))
    assert len(answer["results"]) == 5
    assert {key for hit in answer["results"] for key in hit} == {"id", "title", "text", "url"}
    tokens = counter(Config().embedding).count(json.dumps(answer, ensure_ascii=False))
    assert tokens < 1_150, tokens


def test_detail_says_where_a_hit_stands(shelf: Toolbox) -> None:
    """Document, section and the very span."""
    workspace = shelf.open_workspace()
    for hit in shelf.search(_QUESTION, detail=True).results:
        text = workspace.document(hit.doc).text
        assert text[hit.start : hit.end] == hit.text
        assert hit.section.startswith(hit.doc)
        assert hit.why


@pytest.mark.parametrize("mode", ["hybrid", "vector", "text"])
@pytest.mark.parametrize("retrieval", ["chunk", "multi_granularity"])
def test_every_mode_finds_the_backup(shelf: Toolbox, mode: str, retrieval: str) -> None:
    """Each by its name."""
    answer = shelf.search("restore a backup", mode=mode, retrieval=retrieval, detail=True)
    assert answer.mode == mode
    assert any("restore a backup" in hit.text for hit in answer.results)


def test_k_and_filters(shelf: Toolbox) -> None:
    """So many at most, and each fulfils the conditions."""
    assert len(shelf.search(_QUESTION, k=2).results) == 2
    answer = shelf.search("保修", filters={"language": "zh"}, detail=True)
    assert {hit.doc for hit in answer.results} == {"manuals_manual"}


@pytest.mark.parametrize("row", FILTERS, ids=lambda row: row.key)
def test_every_filter_of_the_store_is_taken(shelf: Toolbox, row: object) -> None:
    """By its own key."""
    shelf.search(_QUESTION, filters={row.key: "1"})  # type: ignore[attr-defined]


def test_neighbours_stand_around_their_hit(shelf: Toolbox) -> None:
    """Before and after it in the document."""
    answer = shelf.search(_QUESTION, neighbours=1, detail=True, budget=0)
    numbers = [[int(one.id.rpartition("_chunk")[2]) for one in (*hit.before, *hit.after)] for hit in answer.results]
    assert any(numbers)
    for hit, neighbours in zip(answer.results, numbers, strict=True):
        own = int(hit.id.rpartition("_chunk")[2])
        assert all(abs(own - other) == 1 for other in neighbours)


@pytest.mark.parametrize("budget", [60, 100, 250])
def test_the_budget_holds(samples: Toolbox, budget: int) -> None:
    """Whole results only, and a note says how many did not fit."""
    answer = samples.search("alarm rule", k=20, budget=budget)
    texts = [text for hit in answer.results for text in (hit.title, hit.text)]
    assert sum(counter(Config().embedding).count(text) for text in texts) == answer.tokens <= budget
    assert answer.left_out
    assert any(tells(note, str(answer.left_out)) for note in answer.notes)


def test_quotation_marks_are_text_unless_operators_are_asked_for(shelf: Toolbox) -> None:
    """As the questions of an evaluation, and on demand as the search field."""
    query = 'Where is "the filter" of the "nightly run" explained?'
    plain, phrases = shelf.search(query), shelf.search(query, operators=True)
    assert plain.results
    assert not any("quoted" in note for note in plain.notes)
    assert any("quoted" in note for note in phrases.notes)


def test_a_probably_absent_answer_is_flagged_with_evidence(samples: Toolbox) -> None:
    """The sign of the search page, with its evidence."""
    answer = samples.search("Which vaccines does a veterinary surgeon recommend for newborn alpacas?", mode="text")
    assert any("vaccines" in note for note in answer.notes)


def test_nothing_found_says_what_to_do(shelf: Toolbox) -> None:
    """Where a filter leaves nothing."""
    answer = shelf.search(_QUESTION, filters={"path": "nowhere"})
    assert not answer.results
    assert any("list_documents" in note for note in answer.notes)


def test_an_index_out_of_date_is_said_until_it_is_built_again(own_shelf: Toolbox) -> None:
    """After somebody has changed a document and not built the index."""
    assert own_shelf.search(_QUESTION).notes == []
    own_shelf.collect(text="# Pumps\n\nA pump drips.", name="pumps.md")
    assert own_shelf.search(_QUESTION).notes == []
    workspace = own_shelf.open_workspace()
    file = own_shelf.files[0] / "agents" / "pumps.md"
    file.parent.mkdir()
    file.write_text("# Pumps\n\nA pump drips no more.", encoding="utf-8")
    add_files(workspace, [file], root=own_shelf.files[0])
    assert any(tells(note, "1 document") for note in own_shelf.search(_QUESTION).notes)


def test_without_an_index_whole_documents_are_searched(own_shelf: Toolbox) -> None:
    """And a note says so."""
    own_shelf.open_workspace().drop_index("main")
    answer = own_shelf.search(_QUESTION)
    assert answer.results
    assert answer.notes


def test_a_query_over_the_limit_is_bounded(shelf: Toolbox) -> None:
    """A megabyte of words: its beginning is searched, and a note says so."""
    assert shelf.search("backup " * 150_000, mode="text").notes


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"query": " \ud800 "}, QueryError),
        ({"k": 1_000_000}, ConfigError),
        ({"k": 0}, ConfigError),
        ({"mode": "magic"}, ConfigError),
        ({"retrieval": "magic"}, ConfigError),
        ({"filters": {"colour": "red"}}, QueryError),
        ({"neighbours": -1}, ConfigError),
    ],
)
def test_bad_input_is_one_sentence(shelf: Toolbox, changes: dict[str, object], error: type[Exception]) -> None:
    """Of the library's own errors; the next call works."""
    with pytest.raises(error) as raised:
        shelf.search(**{"query": _QUESTION} | changes)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)
    assert shelf.search(_QUESTION).results


def test_an_empty_workspace_says_so(empty: Toolbox) -> None:
    """There is nothing to search."""
    with pytest.raises(NotFoundError):
        empty.search(_QUESTION)
