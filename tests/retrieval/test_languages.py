"""Words of several languages in one workspace: found, shown, judged and counted by the stems of their language."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import Config, FullTextTokenizer, SearchConfig
from chunking.indexing import build_index
from chunking.indexing.planning.index_differences import staleness
from chunking.model import Chunk
from chunking.parsing import parse
from chunking.retrieval import SearchResult, search
from chunking.retrieval.answers.citation_check import Support, check_sentence, cited_sentences
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import content_parts, query_words
from chunking.store import TextQuery, Workspace
from chunking.store.index import chunk_arrow
from chunking.text.search_text import search_text
from chunking.versions import chunks_version
from tests.support.shelf import fill
from tests.support.word_embedder import WordEmbedder

GERMAN = "# Häuser\n\nDie Häuser der Stadt sind alt, und die Katzen laufen über alle Dächer.\n"
RUSSIAN = "# Город\n\nВ городе много библиотек, и люди читают книги каждый день.\n"
ARABIC = "# مكان\n\nهذه المكتبات في المدينة فيها كتب كثيرة عن التاريخ\n"
ENGLISH = "# Town\n\nThe libraries of the town are old, and the cats are running over the roofs of max_retry_count.\n"
CHINESE = "# 手册\n\n安装手册在这里，更换滤芯前请断电。\n"
THAI = "# บ้าน\n\nแมวกินปลาในบ้านทุกวัน\n"
FILES = {"de.md": GERMAN, "ru.md": RUSSIAN, "ar.md": ARABIC, "en.md": ENGLISH, "zh.md": CHINESE, "th.md": THAI}
WORDS_ONLY = SearchConfig(mode="text", k=6)

ASKED = [
    ("ein Haus mit Dach", "de.md", ["Häuser", "Dächer"]),
    ("библиотека и книга", "ru.md", ["библиотек", "книги"]),
    ("كتاب مكتبة مدينة", "ar.md", ["المكتبات", "المدينة"]),
    ("a library for a cat", "en.md", ["libraries", "cats"]),
    ("maxRetryCount", "en.md", ["max_retry_count"]),
    ("怎么更换滤芯", "zh.md", ["更换滤芯"]),
    ("แมวอยู่ที่ไหน", "th.md", ["แมว"]),
]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace with an index of six languages. Not to be written to."""
    workspace = Workspace.open(tmp_path_factory.mktemp("languages") / "workspace")
    fill(workspace, FILES, WordEmbedder(), Config.from_settings({"size": "100", "granularities": "none"}))
    return workspace


@pytest.fixture(scope="module")
def unindexed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace = Workspace.open(tmp_path_factory.mktemp("unindexed") / "workspace")
    workspace.put_documents([parse(text.encode(), name) for name, text in FILES.items()])
    return workspace


def first(results: SearchResult, workspace: Workspace) -> tuple[str, list[str]]:
    """File and highlighted words of the best hit."""
    best = results.results[0]
    text = workspace.document(best.chunk.doc_id).text
    return best.chunk.metadata["file_name"], [text[start:end] for start, end in best.highlights]


@pytest.mark.parametrize(("query", "file", "shown"), ASKED, ids=[file for _, file, _ in ASKED])
@pytest.mark.parametrize("place", ["indexed", "unindexed"])
def test_other_forms_of_a_word_are_found_and_shown(
    request: pytest.FixtureRequest, place: str, query: str, file: str, shown: list[str]
) -> None:
    """By an index of six languages and without any; the text's own characters are highlighted."""
    workspace: Workspace = request.getfixturevalue(place)
    name, places = first(search(workspace, query, WORDS_ONLY), workspace)
    assert name == file
    assert set(shown) <= set(places)


def test_a_word_that_full_text_knows_costs_no_search_by_characters(indexed: Workspace) -> None:
    """A stem counts as known: two storage calls, one for the words and one for the neighbours."""
    results = search(indexed, "библиотека книга", WORDS_ONLY)
    assert results.storage_calls == 2
    assert not any("characters" in note for note in results.notes)


@pytest.mark.parametrize(
    ("phrase", "file"),
    [("Katze läuft", ""), ("Katze laufen", "de.md"), ("читают книга", "ru.md"), ("library of the towns", "en.md")],
)
def test_phrases_match_in_any_language(indexed: Workspace, phrase: str, file: str) -> None:
    """Word by word, by the stems of the document's language."""
    hits = indexed.index("main").text_search(TextQuery(phrases=(phrase,)), 5)
    assert [hit.chunk.metadata["file_name"] for hit in hits] == ([file] if file else [])


def test_characters_are_found_in_the_text_and_not_in_its_stems(indexed: Workspace) -> None:
    """Half a word as it is written, in another form of its letters, in the prefix; a stem that is no part is not."""
    index = indexed.index("main")

    def files(text: str) -> list[str]:
        return [hit.chunk.metadata["file_name"] for hit in index.substring_search(text, 9)]

    assert files("library") == []
    assert files("librar") == ["en.md"]
    assert files("Dacher") == files("Dächer") == ["de.md"]
    assert files("retry_c") == ["en.md"]


def test_the_sign_of_absence_compares_in_the_language_of_the_hit(indexed: Workspace) -> None:
    """A question in other forms than the text is no question on another subject."""
    result = search(indexed, "In welchem Haus der Stadt läuft eine alte Katze auf dem Dach?", WORDS_ONLY)
    assert result.absence is not None
    assert {"Haus", "Stadt", "Katze", "Dach"}.isdisjoint(result.absence.missing)


def test_a_cited_sentence_is_compared_in_the_language_of_its_passage(indexed: Workspace) -> None:
    results = search(indexed, "Haus Katze Dach", SearchConfig(mode="text", k=1))
    (sentence,) = cited_sentences("Katze, Haus und Dach der alten Stadt laufen [1].")
    check = check_sentence(sentence, results.context.sources)
    assert results.context.sources[0].language == "de"
    assert check.support is Support.SUPPORTED, check.reason


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Wie stelle ich ein Backup wieder her?", ["stelle", "Backup", "wieder", "her"]),
        ("Comment est-ce que je peux restaurer une sauvegarde?", ["ce", "peux", "restaurer", "sauvegarde"]),
        ("Какой порт у сервиса оповещений?", ["порт", "сервиса", "оповещений"]),
        ("ما هي عاصمة فرنسا", ["عاصمه", "فرنسا"]),
        ("The die size of the chip", ["die", "size", "chip"]),
        ("Is war and was English?", ["war", "English"]),
    ],
)
def test_function_words_are_left_out_by_language(query: str, words: list[str]) -> None:
    """An English question loses no word that another language would call one."""
    content = content_parts(query)[0]
    assert [word for word in content if word not in ("ce", "peux", "wieder", "her")] == [
        word for word in words if word not in ("ce", "peux", "wieder", "her")
    ]


def test_words_of_a_query_are_judged_by_the_language_of_a_text() -> None:
    parts = understand("Häuser, Haus")
    assert [word.text for word in query_words(parts, "de")] == ["Häuser"]
    assert [word.text for word in query_words(parts, "en")] == ["Häuser", "Haus"]


@pytest.mark.parametrize("form", [1, 2])
def test_indexes_of_earlier_forms_are_asked_in_their_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: int
) -> None:
    """They answer, character searches included, and are listed as out of date; the next build embeds nothing."""
    workspace = Workspace.open(tmp_path / "workspace")
    embedder = WordEmbedder()
    workspace.put_documents([parse(text.encode(), name) for name, text in FILES.items()])
    config = Config.from_settings({"size": "100"})

    def earlier(texts: list[str], _tokenizer: FullTextTokenizer, _languages: list[str]) -> list[str]:
        return [search_text(text) if form > 1 else text for text in texts]

    with monkeypatch.context() as before:
        before.setattr(chunk_arrow, "indexed_words", earlier)
        before.setattr("chunking.store.index.index_registry.TEXT_FORM", form)
        before.setattr("chunking.indexing.planning.index_differences.TEXT_FORM", form)
        assert build_index(workspace, config, name="main", embedder=embedder).embedded
    row = workspace.index("main").row
    assert row.text_form == form
    assert first(search(workspace, "library roof", WORDS_ONLY, embedder=embedder), workspace)[0] == "en.md"
    assert first(search(workspace, "Häuser", WORDS_ONLY, embedder=embedder), workspace)[0] == "de.md"
    hits = workspace.index("main").substring_search("Dächer", 5)
    assert {hit.chunk.metadata["file_name"] for hit in hits} == {"de.md"}
    assert "full text" in staleness(workspace, replace(row, code_version=f"{chunks_version()}.{form}"))
    calls = embedder.calls
    report = build_index(workspace, config, name="main", embedder=embedder)
    assert (report.embedded, embedder.calls) == (0, calls)
    assert workspace.index("main").row.text_form > form
    assert not staleness(workspace, workspace.index("main").row)
    assert first(search(workspace, "Haus Dach", WORDS_ONLY, embedder=embedder), workspace)[0] == "de.md"


def test_a_build_records_its_languages_and_asks_in_them_alone(tmp_path: Path) -> None:
    """A complete index is asked in its documents' languages, one under way in all."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.put_documents([parse(FILES[name].encode(), name) for name in ("de.md", "ru.md")])
    build_index(workspace, Config(), name="main", embedder=WordEmbedder())
    row = workspace.index("main").row
    assert (row.built.languages, row.languages) == (("de", "ru"), ("de", "en"))
    assert replace(row, state="incomplete").languages == ()
    assert replace(row, built=replace(row.built, languages=())).languages == ()


def test_chunks_know_the_language_of_their_document(indexed: Workspace) -> None:
    chunk: Chunk = indexed.index("main").chunks_of("de")[0]
    assert (chunk.language, replace(chunk, metadata={}).language) == ("de", "")


def test_a_document_in_many_languages_is_found_by_the_words_of_each(tmp_path: Path) -> None:
    """Whatever language it counts as: a word is found as it stands, and in other forms where its script tells them."""
    lines = [text.split("\n\n")[1] for text in FILES.values()]
    workspace = Workspace.open(tmp_path / "workspace")
    fill(workspace, {"all.md": "\n".join(lines), "other.md": "Nothing else.\n"}, WordEmbedder())
    for query in ("Häuser", "библиотеки", "المكتبة", "libraries", "滤芯", "แมว", "max_retry_count"):
        assert first(search(workspace, query, WORDS_ONLY), workspace)[0] == "all.md", query


@pytest.mark.parametrize("fixture", ["indexed", "unindexed"])
def test_sentences_are_judged_by_the_stems_of_their_language(fixture: str, request: pytest.FixtureRequest) -> None:
    """As they were found: by English stems, no German sentence would have a word of the query."""
    words = SearchConfig(mode="text", k=6, trim=0.9)
    for query, file, _ in ASKED[:2]:
        hit = search(request.getfixturevalue(fixture), query, words).results[0]
        assert hit.chunk.language == file.removesuffix(".md")
        assert hit.evidence is not None
        assert hit.evidence.sentence is not None
        assert hit.evidence.sentence.words == pytest.approx(1)
