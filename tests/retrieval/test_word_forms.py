"""A word is found in whichever form it is typed and written, and everything that looks for words agrees: one function
makes both.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.config import Config, FullTextTokenizer, SearchConfig
from chunking.evaluation.live.live_terms import TextTerms, find_terms
from chunking.evaluation.questions.files.question_file import read_questions
from chunking.indexing.planning.index_differences import staleness
from chunking.parsing import parse
from chunking.retrieval import SearchResult, search
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import matching_stems, query_words, search_terms
from chunking.retrieval.results.result_items import match_spans
from chunking.store import IndexRow, Workspace, words
from chunking.store.index import chunk_arrow
from chunking.store.index.full_text import TEXT_FORM
from chunking.versions import chunks_version
from tests.support.facts import tells
from tests.support.shared_data import shared_data
from tests.support.shelf import fill
from tests.support.word_embedder import WordEmbedder

Shelved = Callable[[Mapping[str, str]], Workspace]

FORMS: tuple[tuple[str, str, str], ...] = (
    ("Kündigung", "Die Ku\u0308ndigung gilt.", "Ku\u0308ndigung"),
    ("Ku\u0308ndigung", "Die Kündigung gilt.", "Kündigung"),
    ("cafe", "Ein Cafe\u0301 am Platz.", "Cafe\u0301"),
    ("Straße", "In der STRASSE steht es.", "STRASSE"),
    ("istanbul", "Liman İSTANBUL şehrinde.", "İSTANBUL"),
    ("ΟΔΟΣ", "Η οδός είναι κλειστή.", "οδός"),
    ("елка", "Наша ёлка стоит.", "ёлка"),
    ("йод", "Это и\u0306од здесь.", "и\u0306од"),
    ("المؤجر", "يلتزم المُؤَجِّر بتسليم", "المُؤَجِّر"),
    ("الموعد", "في المـــوعد تماما", "المـــوعد"),
    ("احمد", "قال أحمد نعم", "أحمد"),
    ("مدرسه", "هذه مدرسة جديدة", "مدرسة"),
    ("مرحبا", "قل ﻣﺮﺣﺒﺎ لهم", "ﻣﺮﺣﺒﺎ"),
    ("کتاب", "این كتاب است", "كتاب"),
    ("שלום", "אמר שָׁלוֹם לכולם", "שָׁלוֹם"),
    ("צהל", 'כוחות צה"ל כאן', 'צה"ל'),
    ("क़लम", "यह कलम है", "कलम"),
    ("हिंदी", "यह हिंदी है", "हिंदी"),
    ("ガス", "この ｶﾞｽ です", "ｶﾞｽ"),
    ("full", "Write Ｆｕｌｌ width.", "Ｆｕｌｌ"),
    ("don't", "You don’t open it.", "don’t"),
    ("user’s", "The user's file.", "user's"),
    ("assurance", "Voici l’assurance du bien.", "assurance"),
    ("l'incendie", "Un incendie est rare.", "incendie"),
    ("retry", "Set max_retry_count now.", "retry"),
    ("max retry count", "Set max_retry_count now.", "max_retry_count"),
    ("maxRetryCount", "Set max_retry_count now.", "max_retry_count"),
    ("http", "Call parseHTTPResponse now.", "HTTP"),
    ("parseHTTPResponse", "Call parse_http_response now.", "parse_http_response"),
    ("nodejs", "Runs on Node.js here.", "Node.js"),
    ("C#", "Written in C# today.", "C#"),
    ("c++", "Written in C++ today.", "C++"),
    (".net", "Runs on .NET here.", ".NET"),
    ("F#", "Some Ｆ＃ code.", "Ｆ＃"),
    ("objective-c", "Some Objective-C code.", "Objective-C"),
    ("email", "Send an e-mail now.", "e-mail"),
    ("error", "\x1b[31mERROR\x1b[0m 10:01 disk", "ERROR"),
    ("information", "The infor\u00admation here.", "infor\u00admation"),
    ("zerowidth", "About zero\u200bwidth here.", "zero\u200bwidth"),
    ("first", "The ﬁrst one.", "ﬁrst"),
    ("CO2", "Much CO₂ here.", "CO₂"),
    ("123", "العدد ١٢٣ هنا", "١٢٣"),
)
"""(query, text, what of the text is highlighted)."""
IDS = [ascii(f"{query}-{place}") for query, _, place in FORMS]


@pytest.fixture
def shelved(tmp_path: Path, embedder: WordEmbedder) -> Shelved:
    """A workspace with an index of some files."""

    def make(files: Mapping[str, str]) -> Workspace:
        workspace = Workspace.open(tmp_path / "workspace")
        fill(workspace, files, embedder)
        return workspace

    return make


def shown(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in match_spans(text, search_terms(understand(query)))]


def sources(results: SearchResult) -> list[str]:
    return [result.chunk.metadata["file_name"] for result in results.results]


@pytest.mark.parametrize(("query", "text", "place"), FORMS, ids=IDS)
def test_highlights_absence_and_live_counts_agree(query: str, text: str, place: str) -> None:
    """The query's word is marked, is not said to be missing, and is counted where it stands."""
    assert shown(text, query) == [place]
    requests = query_words(understand(query))
    assert matching_stems(requests, text), requests
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words(query)))}
    result = find_terms(text, vocabulary, FullTextTokenizer.ICU)
    start = text.index(place)
    if not any("\u3040" <= char <= "\u30ff" for char in place):  # a dictionary tells Japanese words apart
        assert len(result.positions)
        assert all(start - len("max_") <= at < start + len(place) for at in result.positions.tolist())
        assert (result.places[1:] >= result.places[:-1]).all()
        assert TextTerms(vocabulary, FullTextTokenizer.ICU).occurrences([text])[1].term.size


def test_an_index_finds_every_form(shelved: Shelved, embedder: WordEmbedder) -> None:
    """By full text, with the same highlight; and without an index at all."""
    files = {f"f{number}.md": text for number, (_, text, _) in enumerate(FORMS)}
    workspace = shelved(files)
    lone = Workspace.open("memory://forms-without-an-index")
    lone.put_documents([parse(text.encode(), name) for name, text in files.items()])
    for number, (query, _, place) in enumerate(FORMS):
        for place_of_search in (workspace, lone):
            results = search(
                place_of_search, query, SearchConfig(mode="text", k=8, deduplicate=False), embedder=embedder
            )
            hits = {result.chunk.metadata["file_name"]: result for result in results.results}
            hit = hits.get(f"f{number}.md")
            assert hit is not None, (query, place_of_search is lone, sorted(hits))
            assert [place_of_search.document(hit.chunk.doc_id).text[start:end] for start, end in hit.highlights] == [
                place
            ], query
    assert workspace.document("f0").text == FORMS[0][1]


Form = Literal["NFC", "NFD"]
FORMS_OF_UNICODE: tuple[Form, Form] = ("NFC", "NFD")
SCRIPTS = ("abéüñçåøßłấ", "ωάϊσλ", "Жйёїб", "أبجدؤ", "שלדבג", "ガカパ", "가닭휴", "कखजलम")


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str]:
    """Two ways to write one word: composed or not, in any case, with what nobody sees in it."""
    word = draw(st.text(st.sampled_from(draw(st.sampled_from(SCRIPTS))), min_size=3, max_size=10))
    return written(draw, word), written(draw, word)


def written(draw: st.DrawFn, word: str) -> str:
    form: Form = draw(st.sampled_from(FORMS_OF_UNICODE))
    case: Callable[[str], str] = draw(st.sampled_from([str.swapcase, str.lower, str.upper, str.capitalize]))
    cased = unicodedata.normalize("NFC", case(word))
    unseen = draw(st.sampled_from(["", "\u00ad", "\u2060", "\ufeff", "\x1b[1m"]))
    return unicodedata.normalize(form, cased[:1]) + unseen + unicodedata.normalize(form, cased[1:])


@settings(max_examples=300, deadline=None)
@given(spellings(), st.sampled_from(["x ", "(", "“", "", "42, "]), st.sampled_from([" y", ".", ")", "”", ", 42"]))
def test_any_spelling_finds_any_other(pair: tuple[str, str], before: str, after: str) -> None:
    """The words that are indexed and those asked for are one, and the highlight covers exactly the word."""
    requests, said = pair
    text = f"{before}{said}{after}"
    assert set(words(requests)) <= set(words(text)), (requests, said)
    (place,) = match_spans(text, search_terms(understand(requests)))
    assert text[place.start : place.end] == said


@pytest.mark.parametrize(
    ("query", "first", "never"),
    [
        ("C#", "csharp.md", ("c.md", "cpp.md", "objc.md", "r.md")),
        ("C++", "cpp.md", ("c.md", "csharp.md", "objc.md", "r.md")),
        ("C", "c.md", ("csharp.md", "cpp.md", "r.md")),
        ("Objective-C", "objc.md", ("c.md", "csharp.md", "cpp.md", "r.md")),
        ("R", "r.md", ("c.md", "csharp.md", "cpp.md", "objc.md")),
        ("F#", "fsharp.md", ("c.md", "csharp.md", "cpp.md", "objc.md", "r.md")),
    ],
)
def test_names_with_signs_are_words_of_their_own(
    shelved: Shelved, embedder: WordEmbedder, query: str, first: str, never: Iterable[str]
) -> None:
    """The query C# finds what is about C#, and not what is about C."""
    names = {"c.md": "C", "cpp.md": "C++", "csharp.md": "C#", "objc.md": "Objective-C", "r.md": "R", "fsharp.md": "F#"}
    workspace = shelved(
        {
            file: f"# Guide\n\n{name} is a language. {name} code runs. Build {name} here.\n"
            for file, name in names.items()
        }
    )
    result = sources(search(workspace, query, SearchConfig(mode="text"), embedder=embedder))
    assert result[0] == first
    assert not set(result) & set(never)


def test_identifiers_are_found_by_parts_and_as_they_are(shelved: Shelved, embedder: WordEmbedder) -> None:
    """The chunk with the identifier itself stands before those with its words."""
    files = {
        "id.md": "Set max_retry_count first.\n",
        "prose.md": "The max of the count is a retry.\n",
        "other.md": "Nothing of it.\n",
    }
    workspace = shelved(files)
    for query in ("max_retry_count", "maxRetryCount", "max-retry-count", '"max retry count"'):
        assert sources(search(workspace, query, SearchConfig(mode="text"), embedder=embedder))[0] == "id.md", query
    assert sources(search(workspace, '"set max_retry_count first"', SearchConfig(mode="text"), embedder=embedder)) == [
        "id.md"
    ]


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_words_with_endings_are_found_as_characters(shelved: Shelved, embedder: WordEmbedder, mode: str) -> None:
    """A word that the index does not know by its form, beside words that it does; Latin words are not looked for inside
    of others.
    """
    files = {
        "fee.md": "출장비는 다음 달 십일까지 정산한다.\n",
        "leave.md": "육아휴직은 최대 일년이다.\n",
        "book.md": "קראתי את הספר אתמול\n",
        "cargo.md": "The cargo is scary.\n",
        "year.md": "2024 최대 일년이다.\n",
    }
    workspace = shelved(files)
    for query, expected, place in (
        ("출장비", "fee.md", "출장비"),
        ("ספר", "book.md", "ספר"),
        ("2024 출장비", "fee.md", "출장비"),
    ):
        results = search(workspace, query, SearchConfig(mode=mode, vector_weight=0.01), embedder=embedder)
        hit = next(result for result in results.results[:2] if result.chunk.metadata["file_name"] == expected)
        text = workspace.document(hit.chunk.doc_id).text
        assert place in [text[start:end] for start, end in hit.highlights], query
        assert hit.legs["text"].score is not None, query
        assert any(tells([note], "full text not know characters") or "exactly" in note for note in results.notes), (
            results.notes
        )
    results = search(workspace, "car", SearchConfig(mode="hybrid"), embedder=embedder)
    assert all(hit.legs["text"].score is None for hit in results.results if "text" in hit.legs)


@pytest.mark.parametrize(("form", "other"), [FORMS_OF_UNICODE, FORMS_OF_UNICODE[::-1]])
def test_gold_answers_are_found_in_either_form(form: Form, other: Form) -> None:
    """Answers in one form have exact spans in documents of the other, accents at their ends included."""
    says = [
        "Kündigungsfrist beträgt drei Monate, sagt das Café",
        "출장비는 다음 달 십일까지 정산한다",
        "がぎを読む",
        "ёлка и йод",
    ]
    for answer in says:
        text = unicodedata.normalize(form, f"# Titel\n\nVorher. {answer} – nachher é.\n")
        document = parse(text.encode(), "a.md")
        csv = f'question,doc,answer\nWas?,a.md,"{unicodedata.normalize(other, answer)}"\n'
        read = read_questions(csv.encode(), "q.csv", [document])
        assert not read.problems, read.problems
        (gold,) = read.questions.questions[0].answers
        assert document.text[gold.start : gold.end] == unicodedata.normalize(form, answer)


def test_an_index_of_an_earlier_form_still_answers(
    tmp_path: Path, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked in its own way, and listed as out of date; a new build makes it current."""
    files = {"a.md": "Die Kündigung von max_retry_count in C# gilt.\n", "b.md": "Ein anderer Text.\n"}
    workspace = Workspace.open(tmp_path / "workspace")
    with monkeypatch.context() as earlier:
        earlier.setattr(chunk_arrow, "indexed_words", lambda texts, *_: list(texts))
        earlier.setattr("chunking.store.index.index_registry.TEXT_FORM", 1)
        fill(workspace, files, embedder)
    row = workspace.index("main").row
    assert row.text_form == 1
    for query in ("kündigung", "max_retry_count", "Kundigung"):
        assert sources(search(workspace, query, SearchConfig(mode="text"), embedder=embedder))[0] == "a.md", query
    assert search(workspace, '"in C# gilt"', SearchConfig(mode="text"), embedder=embedder).results
    assert "full text" in staleness(workspace, replace(row, code_version=chunks_version()))
    assert "full text" not in staleness(workspace, replace(row, code_version=f"{chunks_version()}.{TEXT_FORM}"))


@pytest.mark.parametrize("version", ["abc", "", "abc.", "abc.x", "abc.99999", "a.b.c", "abc.²"])
def test_any_stored_version_has_a_form(version: str) -> None:
    """Of earlier indexes, and of workspace files by anybody."""
    row = IndexRow.new("main", Config(), model_key="m", dimension=3, code_version="abc")
    assert (row.split_version, row.text_form > 1) == ("abc", True)
    assert replace(row, code_version=version).text_form == 1


def wild(folder: str) -> dict[str, str]:
    return {
        path.name: path.read_bytes().decode()
        for path in sorted(shared_data(f"wild/{folder}").iterdir())
        if path.suffix != ".csv"
    }


@pytest.mark.parametrize(
    ("folder", "query", "file", "place"),
    [
        ("fts_identifiers", "max retry count", "id.md", "max_retry_count"),
        ("fts_identifiers", "http", "id.md", "HTTP"),
        ("fts_identifiers", "user_account_v2", "id.md", "user_account_v2"),
        ("fts_identifiers", "row id", "id.md", "ROW_ID"),
        ("fts_apostrophe", "don't", "contr.md", "Don’t"),
        ("fts_apostrophe", "don’t", "contr.md", "Don’t"),
        ("fts_apostrophe", "user's", "contr.md", "user’s"),
        ("fts_apostrophe", "can’t", "contr.md", "can't"),
        ("fts_apostrophe", "assurance", "fr1.md", "assurance"),
        ("fts_apostrophe", "l'incendie", "fr1.md", "incendie"),
        ("fts_apostrophe", "email", "contr.md", "e-mail"),
        ("fts_csharp", "C#", "csharp.md", "C#"),
        ("fts_csharp", "C++", "cpp.md", "C++"),
        ("fts_csharp", "dotnet", "csharp.md", "dotnet"),
        ("fts_marks", "المؤجر", "arab.md", "المُؤَجِّر"),
        ("fts_marks", "المفاتيح", "arab.md", "المَفاتيح"),
        ("fts_marks", "الموعد", "arab.md", "المـــوعد"),
        ("fts_marks", "احمد", "arab.md", "أحمد"),
        ("fts_marks", "ايجار", "arab.md", "إيجار"),
        ("ansi_log", "error disk", "color.log", "ERROR"),
        ("soft_hyphen", "information", "soft.md", "informa\u00adtion"),
        ("soft_hyphen", "width", "soft.md", "width"),
        ("soft_hyphen", "office", "soft.md", "oﬃce"),
    ],
)
def test_files_that_failed(
    shelved: Shelved, embedder: WordEmbedder, folder: str, query: str, file: str, place: str
) -> None:
    """The small files of public reports give what a person expects."""
    workspace = shelved(wild(folder))
    results = search(workspace, query, SearchConfig(mode="text"), embedder=embedder)
    hit = next(result for result in results.results if result.chunk.metadata["file_name"] == file)
    text = workspace.document(hit.chunk.doc_id).text
    assert place in [text[start:end] for start, end in hit.highlights]


@pytest.mark.parametrize("questions", ["de.csv", "de_nfdans.csv"])
@pytest.mark.parametrize("folder", ["de_NFC", "de_NFD"])
def test_decomposed_files_are_found_and_evaluated(
    shelved: Shelved, embedder: WordEmbedder, folder: str, questions: str
) -> None:
    """Twelve of twelve, by each of both question files."""
    workspace = shelved(wild(f"fts_nfd/{folder}"))
    documents = list(workspace.read_documents([row.doc_id for row in workspace.documents()]))
    read = read_questions(shared_data(f"wild/fts_nfd/{questions}").read_bytes(), questions, documents)
    assert (len(read.questions.questions), read.problems, read.pending) == (12, (), ())
    for question in read.questions.questions:
        best = search(workspace, question.text, SearchConfig(mode="text"), embedder=embedder).results[0]
        assert best.chunk.doc_id == question.answers[0].doc_id
        assert best.highlights
