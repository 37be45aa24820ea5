"""Chunks made elsewhere are cut, indexed and measured as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chunking.config import Config
from chunking.errors import QuestionError
from chunking.evaluation import Trials, evaluate
from chunking.evaluation.runs.loaded_chunks import LoadedChunks, config_of_loaded, read_chunks, save_chunks, use_loaded
from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting import chunk_document
from chunking.splitting.strategies import custom_splitters as splitters
from chunking.store import Workspace
from chunking.store.chunk_records import chunk_record
from chunking.store.index.build_record import chunk_fingerprint
from tests.support.plants import WORDS, filled, questions_of
from tests.support.word_embedder import WordEmbedder

ENGLISH = parse(b"# One\n\nFirst text here.\n\n```py\na = 1\nb = 2\n```\n\nLast text.\n", "guide/a.md")
CHINESE = parse("# 手册\n\n蓝色指示灯。😀 第二句话。\n".encode(), "guide/b.md")
BOTH = (ENGLISH, CHINESE)


@pytest.fixture(autouse=True)
def _only_these(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is gone after it."""
    monkeypatch.setattr(splitters, "_registered", {})
    splitters.use_splitters({})
    yield
    splitters.use_splitters({})


def lines(*records: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()


def spans(loaded: LoadedChunks, document: Document) -> Sequence[tuple[int, int]]:
    return [tuple(span) for span in loaded(document.text)]


def test_offsets_and_texts_are_the_same() -> None:
    """And so are LangChain's Documents, and what `chunkscope chunk` prints; the document by id, path or file name."""
    first, second = (0, ENGLISH.text.index("```")), (ENGLISH.text.index("```"), len(ENGLISH.text))
    pieces = [ENGLISH.text[slice(*one)] for one in (first, second)]
    forms = (
        lines(
            {"doc": "guide/a.md", "start": first[0], "end": first[1]},
            {"doc_id": ENGLISH.doc_id, "start": second[0], "end": second[1]},
        ),
        lines(*({"source": "a.md", "text": piece} for piece in pieces)),
        lines(
            *(
                {"page_content": p, "metadata": {"source": "x/guide/a.md", "start_index": s[0]}}
                for p, s in zip(pieces, (first, second), strict=True)
            )
        ),
    )
    read = [spans(read_chunks(form, "mine.jsonl", BOTH), ENGLISH) for form in forms]
    assert read[0] == [first, second]
    assert [[ENGLISH.text[a:b].strip() for a, b in some] for some in read] == [[piece.strip() for piece in pieces]] * 3


def test_our_own_chunks_come_back() -> None:
    """`chunk` prints, `read_chunks` reads, and cutting with them gives the same spans: Chinese and emoji too."""
    config = Config.from_settings({"size": 16})
    cut = {document.doc_id: chunk_document(document, config) for document in BOTH}
    data = lines(*(chunk_record(chunk) for some in cut.values() for chunk in some))
    loaded = read_chunks(data, "ours.jsonl", BOTH)
    assert loaded.documents == {document.source: len(cut[document.doc_id]) for document in BOTH}
    splitters.register_splitter(loaded.splitter, loaded)
    for document in BOTH:
        again = chunk_document(document, config_of_loaded(loaded))
        assert [(one.start, one.end) for one in again] == [(one.start, one.end) for one in cut[document.doc_id]]


def test_kept_in_the_workspace_and_part_of_the_fingerprint(tmp_path: Path) -> None:
    """Another process finds them; other chunks of one name are another index."""
    workspace = Workspace.open(tmp_path)
    one = read_chunks(lines({"doc": "a.md", "text": ENGLISH.text}), "mine.jsonl", BOTH)
    save_chunks(workspace, one)
    before = chunk_fingerprint(config_of_loaded(one), ENGLISH)
    splitters.use_splitters({})
    assert tuple(use_loaded(workspace).splitters) == ("loaded:mine",)
    assert chunk_fingerprint(config_of_loaded(one), ENGLISH) == before
    save_chunks(
        workspace,
        read_chunks(
            lines({"doc": "a.md", "start": 0, "end": 9}, {"doc": "a.md", "start": 9, "end": 40}), "mine.jsonl", BOTH
        ),
    )
    assert chunk_fingerprint(config_of_loaded(one), ENGLISH) != before
    assert LoadedChunks.from_json(one.to_json()) == one


def test_chunks_of_two_workspaces_stay_apart(tmp_path: Path) -> None:
    """One name, one document, other boundaries: each workspace builds its own, in whatever order, and other threads see
    neither.
    """
    end, places = len(ENGLISH.text), {"a": ENGLISH.text.index("```"), "b": ENGLISH.text.index("Last")}
    cuts = {name: [(0, place), (place, end)] for name, place in places.items()}
    workspaces = {name: Workspace.open(tmp_path / name) for name in cuts}
    for name, some in cuts.items():
        workspaces[name].put_document(ENGLISH)
        rows = lines(*({"doc": "a.md", "start": start, "end": end} for start, end in some))
        save_chunks(workspaces[name], read_chunks(rows, "mine.jsonl", [ENGLISH]))
    loaded = {name: use_loaded(workspace).splitters["loaded:mine"] for name, workspace in workspaces.items()}
    with (
        Trials(workspaces["a"], embedder=WordEmbedder()) as first,
        Trials(workspaces["b"], embedder=WordEmbedder()) as second,
    ):
        for name, trials in (("a", first), ("b", second)):
            config = config_of_loaded(loaded[name]).from_settings(
                {"search.mode": "text"}, config_of_loaded(loaded[name])
            )
            chunks = trials.trial(config).index.chunks_of(ENGLISH.doc_id)
            assert [chunk.start for chunk in chunks] == [0, places[name]]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(splitters.splitter_version, "loaded:mine").result() == ""


def test_a_row_that_cannot_be_read_is_set_aside(tmp_path: Path) -> None:
    """It is told, and everything else is measured."""
    workspace = filled(tmp_path / "plant")
    workspace.loaded_chunks.put({"torn": '{"name": "torn", "spans"'})
    with Trials(workspace, embedder=WordEmbedder()) as trials:
        run = evaluate(workspace, questions_of(workspace).only(["north-pump"]), WORDS, trials=trials)
    assert len(run.answered) == 1
    assert any("torn" in note for note in run.notes)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "has no chunk"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[1]", "Line 1 of x.jsonl is not an object"),
        (b'{"doc": "a.md"', "Line 1 of x.jsonl is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'\n{"start": 0, "end": 3}', "Line 2 of x.jsonl"),
        (b'{"doc": "no.md", "start": 0, "end": 3}', "'no.md'"),
        (b'{"doc": "a.md", "start": 0, "end": 9999}', "characters 0 to 9999 of guide/a.md, which has"),
        (b'{"doc": "a.md", "start": 3, "end": 3}', "characters 3 to 3"),
        (b'{"doc": "a.md", "start": true, "end": 3}', '"start" and "end"'),
        (b'{"doc": "a.md", "text": "elsewhere"}', "'elsewhere'"),
    ],
)
def test_bad_files_get_their_sentence(data: bytes, said: str) -> None:
    """With the line."""
    with pytest.raises(QuestionError) as raised:
        read_chunks(data, "x.jsonl", BOTH)
    assert said in str(raised.value)


def test_a_changed_document_says_so() -> None:
    """Its old chunks are not put into another text."""
    loaded = read_chunks(lines({"doc": "a.md", "start": 0, "end": 9}), "mine.jsonl", BOTH)
    splitters.register_splitter(loaded.splitter, loaded)
    with pytest.raises(ValueError, match="no chunk of this"):
        loaded(ENGLISH.text + " ")
