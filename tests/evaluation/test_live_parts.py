"""What live numbers are made of, against what they stand for: the full-text index, and the fusion of a search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from chunking.config import ENGLISH_MODEL, ChunkConfig, Config, EmbeddingConfig, FullTextTokenizer, Fusion
from chunking.embedding.model_folder import find_model
from chunking.errors import ParseError
from chunking.evaluation.live import live_search
from chunking.evaluation.live.live_levels import split_documents
from chunking.evaluation.live.live_prepared import Caches, prepare
from chunking.evaluation.live.live_search import IdentifierPlaces, candidates_of, word_scores
from chunking.evaluation.live.live_terms import TextTerms, find_terms
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet
from chunking.model import CHUNK
from chunking.parsing import parse
from chunking.retrieval.ranking.fused_hits import fuse, least
from chunking.retrieval.ranking.fusion import LegCandidates, best_first, from_larger, fused
from chunking.splitting import Chunker, token_counter
from chunking.store import TextQuery, Workspace
from chunking.store.index.full_text import words
from chunking.text.folding import fold
from tests.support.shelf import SHELF, fill
from tests.support.strategies import chunk_configs, markdown
from tests.support.word_embedder import WordEmbedder

COUNTER = token_counter(find_model("all-MiniLM-L6-v2").path)
TABLE = "# Ports\n\n## Services\n\n| name | port |\n|---|---|\n" + "\n".join(
    f"| service{n} | {7000 + n} |" for n in range(40)
)
ASKED = (
    "How do I restore a backup, and who checks the backup?",
    "更换滤芯前要做什么？",
    "the port of service7",
    "zebra",
    "the the the",
    "Wo liegt das Haus der Katze, und wer restores backups?",
    "библиотека с книгой",
    "كتاب المدينة",
)
REMOTE = EmbeddingConfig(model="remote:any")
"""Needs no model here: its vectors cannot be pooled."""


@settings(deadline=None, max_examples=40)
@given(markdown(), chunk_configs())
def test_the_words_of_a_chunk_are_those_of_its_stretch(text: str, config: ChunkConfig) -> None:
    """Words counted per document equal those the index reads per chunk, but for cuts inside unspaced runs."""
    try:
        document = parse(text.encode("utf-8", "replace"), "a.md")
    except ParseError:  # control characters alone are a binary file
        reject()
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words(document.text)))}
    places = find_terms(document.text, vocabulary, FullTextTokenizer.ICU)
    boundaries = Chunker(document, COUNTER).boundaries(config)
    lengths = places.lengths(boundaries.starts, boundaries.ends).tolist()
    occurrences = places.occurrences(boundaries.starts, boundaries.ends)
    for number, (start, end) in enumerate(zip(boundaries.starts.tolist(), boundaries.ends.tolist(), strict=True)):
        before, after = document.text[start - 1 : start], document.text[end : end + 1]
        if (before and not before.isspace()) or (after and not after.isspace()):
            continue
        there = words(document.text[start:end])
        assert lengths[number] == len(there)
        assert sorted(occurrences.term[occurrences.chunk == number].tolist()) == sorted(
            vocabulary[word] for word in there
        )


def test_words_of_repeated_texts_are_counted_in_each_language() -> None:
    lengths, occurrences = TextTerms({"fox": 0}, FullTextTokenizer.ICU).occurrences(
        ["", "foxes fox cat", "", "foxes fox cat"]
    )
    assert lengths.tolist() == [0, 3, 0, 3]
    assert occurrences.chunk.tolist() == [1, 1, 3, 3]
    terms = TextTerms({"haus": 0}, FullTextTokenizer.ICU)
    rows = [terms.occurrences(["Häuser"], language)[1].term.tolist() for language in ("de", "en", "de")]
    assert rows == [[0], [], [0]]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace: Workspace = Workspace.open(tmp_path_factory.mktemp("live") / "workspace")
    fill(workspace, FILES, WordEmbedder(), CONFIG)
    return workspace


FILES = {
    **SHELF,
    "ports.md": TABLE,
    "haus.md": "# Häuser der Stadt\n\nDie Häuser sind alt, und die Katzen laufen über die Dächer. Viele Backups.\n",
    "kniga.md": "# Библиотеки\n\nВ городе много библиотек, и люди читают книги. Restored backups.\n",
    "kitab.md": "# المكتبات\n\nهذه المكتبات في المدينة فيها كتب كثيرة والكتاب جديد\n",
}
CONFIG = Config.from_settings(
    {"size": "64", "overlap": "8", "min_size": "0", "granularities": "2,4", "embedding.model": ENGLISH_MODEL}
)


def test_word_scores_are_those_of_the_index(shelf: Workspace) -> None:
    """BM25 with prefixes, headings and descriptions of tables, all levels counted together; to the fourth digit."""
    documents = [parse(text.encode(), source) for source, text in FILES.items()]
    answer = AnswerSpan(documents[0].doc_id, 0, 8, documents[0].text[:8])
    questions = QuestionSet("some", tuple(Question(str(n), text, (answer,)) for n, text in enumerate(ASKED)))
    chunkers = [Chunker(one, COUNTER, max_tokens=254) for one in documents]
    read = prepare(chunkers, REMOTE, questions, Caches(None, None), lambda _share, _what: None).tokenized(
        FullTextTokenizer.ICU
    )
    split = split_documents(read.documents, [CONFIG.chunk] * len(documents), read.shared_terms)
    levels = {CHUNK: split.chunks, "x2": split.larger[2], "x4": split.larger[4]}
    ours = dict(zip(levels, word_scores(read.word_counts, list(levels.values()), read.headings), strict=True))
    for row, text in enumerate(ASKED):
        for level, scores in ours.items():
            theirs = shelf.index("main").start_text_scores(TextQuery(text), 1_000, levels=(level,))()
            rows = shelf.index("main").rows_by_id(theirs)
            there = {(rows[name].doc_id, rows[name].start): score for name, score in theirs.items()}
            mine = zip(
                levels[level].document.tolist(), levels[level].starts.tolist(), scores[row].tolist(), strict=True
            )
            here = {(documents[number].doc_id, start): score for number, start, score in mine if score > 0}
            assert here == pytest.approx(there, rel=1e-4)


SCORES = st.lists(st.integers(-5, 20), min_size=6, max_size=6)


@settings(deadline=None)
@given(
    SCORES,
    SCORES,
    SCORES,
    SCORES,
    st.sampled_from([0.0, 0.3, 0.65, 1.0]),
    st.integers(1, 8),
    st.sampled_from(list(Fusion)),
)
def test_fusion_is_that_of_a_search(
    meaning: list[int],
    said: list[int],
    large: list[int],
    large_said: list[int],
    weight: float,
    count: int,
    fusion: Fusion,
) -> None:
    """Of the candidates of each leg, of a larger size around them, and in the same order."""

    def candidates(scores: list[float], floor: float) -> dict[str, float]:
        best = sorted(range(len(scores)), key=lambda number: -scores[number])[:count]
        return {f"c{number}": scores[number] for number in best if scores[number] > floor}

    def legs(first: list[float], second: list[float]) -> list[LegCandidates]:
        floors = ((first, weight, -np.inf), (second, 1 - weight, 0.0))
        rows = (
            (np.array([column], np.float32), np.array([share], np.float32), floor) for column, share, floor in floors
        )
        return [candidates_of(scores, share, floor, count) for scores, share, floor in rows]

    # Ties at the last candidate are broken by chance in both: small differences keep scores apart.
    columns = [
        [score + number / 64 for number, score in enumerate(some)]
        for some in (meaning, said, large[:3], large_said[:3])
    ]
    weights = {"vector": weight, "text": 1 - weight}
    searched = {"vector": candidates(columns[0], -np.inf), "text": candidates(columns[1], 0.0)}
    real = {hit.chunk_id: hit.score for hit in fuse(searched, weights, fusion, raw=False)}
    larger = {"vector": candidates(columns[2], -np.inf), "text": candidates(columns[3], 0.0)}
    holders, missing = (
        {hit.chunk_id: hit.score for hit in fuse(larger, weights, fusion, raw=False)},
        least(larger, weights, fusion),
    )
    fusion_result = fused(legs(*columns[:2]), 6, fusion)
    total, candidate_rows = fusion_result.totals, fusion_result.candidates
    assert {f"c{number}" for number in np.flatnonzero(candidate_rows[0])} == set(real)
    assert {name: total[0, int(name[1:])] for name in real} == pytest.approx(real, abs=1e-4)
    places = np.array([0, 0, 1, 1, -1, -1], np.int32)
    both = total + 0.5 * from_larger(total, fused(legs(*columns[2:]), 3, fusion).totals, places)
    expected = {
        name: score + 0.5 * (score if places[int(name[1:])] < 0 else holders.get(f"c{places[int(name[1:])]}", missing))
        for name, score in real.items()
    }
    assert {name: both[0, int(name[1:])] for name in real} == pytest.approx(expected, abs=1e-4)
    ranked, scores = best_first(both, candidate_rows, 6, digits=5)
    order = [
        f"c{number}" for number, score in zip(ranked[0].tolist(), scores[0].tolist(), strict=True) if np.isfinite(score)
    ]
    assert set(order) == set(real)
    assert [expected[name] for name in order] == pytest.approx(sorted(expected.values(), reverse=True), abs=1e-3)


def test_identifiers_are_looked_for_once_in_each_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all questions and configurations; what a chunk and its prefix hold is as each question finds it."""
    text = "# Error E-4012\n\n" + "Restart the pump. " * 60 + "\n\n# Valve V2-77\n\n" + "See E-4012B and E-4012. " * 60
    document = parse(text.encode(), "a.md")
    answer = AnswerSpan(document.doc_id, 0, 7, text[:7])
    texts = ("What is E-4012?", "Where is V2-77?", "What is a pump?")
    questions = QuestionSet("some", tuple(Question(str(n), one, (answer,)) for n, one in enumerate(texts)))
    chunker = Chunker(document, COUNTER, max_tokens=254)
    prepared = prepare([chunker], REMOTE, questions, Caches(None, None), lambda _share, _what: None)
    read = prepared.tokenized(FullTextTokenizer.ICU)
    places = IdentifierPlaces.of(prepared.live_questions.queries, [document.text])
    folded = list[str]()

    def counted(part: str) -> str:
        folded.append(part)
        return fold(part)

    monkeypatch.setattr(live_search, "fold", counted)
    for size in (60, 90, 60):
        split = split_documents(read.documents, [ChunkConfig(size=size)], read.shared_terms)
        shares = places.shares(split)
        (bounds,) = split.boundaries
        for row, names in places.names.items():
            expected = [
                max(names.levels(document.text[start:end])[0], names.levels(prefix)[0]) / names.words
                for start, end, prefix in zip(bounds.starts, bounds.ends, bounds.prefixes, strict=True)
            ]
            assert shares[row].tolist() == pytest.approx(expected)
    assert sorted(folded) == sorted(set(folded))
    assert len(places.names) == 2
