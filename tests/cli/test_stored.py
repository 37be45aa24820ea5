"""`search`, `fetch`, `documents`, `indexes`, `delete` on the indexed samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import SAMPLES, Run, check, text_of
from tests.support.mails import mail_with

RESULT = {
    "rank": int,
    "doc_id": str,
    "chunk_id": str,
    "score": float,
    "content": str,
    "content_preview": str,
    "metadata": dict,
    "start": int,
    "end": int,
    "legs": dict,
    "neighbours": list,
    "citation": str,
    "matched_fields": list,
    "highlights": list,
}
METADATA = {
    "file_path": str,
    "relative_path": str,
    "file_name": str,
    "path_hierarchy": list,
    "category": str,
    "chunk_index": int,
    "total_chunks": int,
    "chunk_type": str,
    "section_path": list,
    "doc_toc": str,
}
NEIGHBOUR = {"chunk_id": str, "start": int, "end": int, "content": str}
ENGLISH = "How do I rotate the gateway certificates?"
CHINESE = "三盏灯同时紫色快闪说明什么？"
MODES = ("hybrid", "vector", "text")


@pytest.mark.parametrize("mode", MODES)
def test_search_prints_one_object(run: Run, samples: Path, mode: str) -> None:
    """Keys, order and types; every hit and neighbour is a span of its document."""
    row = run("search", ENGLISH, "--workspace", samples, "--mode", mode).row
    assert list(row) == ["query", "mode", "fingerprint", "results", "documents"]
    (index,) = run("indexes", "--workspace", samples).row["indexes"]
    assert (row["query"], row["mode"], row["fingerprint"]) == (ENGLISH, mode, index["fingerprint"])
    assert [hit["rank"] for hit in row["results"]] == [1, 2, 3, 4, 5]
    assert [hit["score"] for hit in row["results"]] == sorted((hit["score"] for hit in row["results"]), reverse=True)
    for hit in row["results"]:
        check(hit, RESULT)
        check(hit["metadata"], METADATA)
        text = text_of(hit["metadata"]["relative_path"])
        assert hit["content"] == text[hit["start"] : hit["end"]]
        assert hit["content_preview"] == hit["content"][:200]
        assert f"characters {hit['start']}–{hit['end']}" in hit["citation"]
        assert list(hit["legs"]) == ["vector", "text"]
        for name, leg in hit["legs"].items():
            assert leg is None or (list(leg) == ["rank", "score"] and mode in (name, "hybrid"))
        for neighbour in hit["neighbours"]:
            check(neighbour, NEIGHBOUR)
            assert neighbour["content"] == text[neighbour["start"] : neighbour["end"]]
            assert neighbour["chunk_id"] != hit["chunk_id"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (CHINESE, "正在升级固件"),
        ("开箱发现缺件，几天之内可以找销售方补发？", "7 天内"),
        ("雀 C4 测二氧化碳的量程和精度是多少？", "400–5,000 ppm"),
    ],
)
def test_a_chinese_question_finds_the_right_chunk_first(run: Run, samples: Path, question: str, answer: str) -> None:
    """In the default mode, over all samples; and nobody is told that the model cannot read it."""
    ran = run("search", question, "--workspace", samples)
    assert answer in ran.row["results"][0]["content"]
    assert ran.row["results"][0]["metadata"]["relative_path"] == "manual-zh/产品使用手册.md"
    assert question in ran.out
    assert "cannot read" not in ran.err


def test_the_sample_questions_are_answered(run: Run, samples: Path) -> None:
    """A handful of each language: of nine in ten a whole answer stands in the first five, though the model is a
    stand-in.
    """
    questions = [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    sample = [q for language in ("en", "zh") for q in [q for q in questions if q["language"] == language][::8]]
    lost = []
    for question in sample:
        hits = run("search", question["question"], "--workspace", samples).row["results"]
        if not any(
            hit["metadata"]["relative_path"] == question["doc"]
            and hit["start"] <= answer["start"]
            and answer["end"] <= hit["end"]
            for hit in hits
            for answer in question["answers"]
        ):
            lost.append(question["id"])
    assert len(lost) <= len(sample) // 10, lost


def test_k_and_neighbours(run: Run, samples: Path) -> None:
    """As many hits as asked for; neighbours in reading order, before and after."""
    search = ("search", CHINESE, "--workspace", samples, "--mode", "text")
    assert len(run(*search, "--k", 12).row["results"]) == 12
    assert [hit["neighbours"] for hit in run(*search, "--before", 0, "--after", 0).row["results"]] == [[]] * 5

    def places(before: int, after: int) -> list[int]:
        (hit,) = run(*search, "--k", 1, "--before", before, "--after", after).row["results"]
        assert [neighbour["start"] for neighbour in hit["neighbours"]] == sorted(
            neighbour["start"] for neighbour in hit["neighbours"]
        )
        return [
            int(neighbour["chunk_id"].rpartition("chunk")[2]) - hit["metadata"]["chunk_index"]
            for neighbour in hit["neighbours"]
        ]

    wide = places(3, 2)
    assert places(0, 2) == [place for place in wide if place > 0]
    assert places(3, 0) == [place for place in wide if place < 0] != []


FILTERS = {
    "document=faq_faq": lambda hit: hit["doc_id"] == "faq_faq",
    "document=faq/faq.txt": lambda hit: hit["doc_id"] == "faq_faq",
    "category=api": lambda hit: hit["metadata"]["category"] == "api",
    "path=manual-zh": lambda hit: hit["metadata"]["path_hierarchy"] == ["manual-zh"],
    "content_type=table": lambda hit: hit["metadata"]["chunk_type"] == "table",
    "section=The edge": lambda hit: "The edge" in hit["metadata"]["section_path"],
    "language=zh": lambda hit: (
        hit["metadata"]["path_hierarchy"][0] in ("manual-zh", "manual-zh-g3", "service-plans-zh")
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("where", FILTERS)
def test_filters_in_every_mode(run: Run, samples: Path, where: str, mode: str) -> None:
    """Every hit fulfils it, and there are hits."""
    query = "gateway 网关"
    hits = run("search", query, "--workspace", samples, "--mode", mode, "--where", where).row["results"]
    assert hits
    assert all(FILTERS[where](hit) for hit in hits)


def test_several_filters_hold_together(run: Run, samples: Path) -> None:
    """And a value that none has finds nothing."""
    search = ("search", "网关", "--workspace", samples, "--mode", "text", "--where", "content_type=table")
    hits = run(*search, "--where", "section=2.2 指示灯").row["results"]
    assert hits
    assert all(hit["metadata"]["section_path"][-1] == "2.2 指示灯" for hit in hits)
    assert run(*search, "--where", 'category=it\'s "none"').row["results"] == []
    assert run("search", "网关", "--workspace", samples, "--where", "page=9").row["results"] == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--where", "colour=red"], "There is no filter 'colour'; the filters are document, category"),
        (["--where", "category"], "write for example category=api"),
        (["--where", "category=api", "--where", "category=doc"], "given twice"),
        (["--k", "0"], "search.k"),
        (["--k", "201"], "search.k"),
        (["--before", "-1"], "search.before"),
        (["--after", "21"], "search.after"),
    ],
)
def test_wrong_words_of_a_search(run: Run, samples: Path, words: list[str], says: str) -> None:
    """Exit code 2 and one sentence."""
    ran = run("search", "gateway", "--workspace", samples, *words)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.complaint


@pytest.mark.parametrize("query", ["", "   ", "\t\n", "\0", '""', '"'])
def test_an_empty_query(run: Run, samples: Path, query: str) -> None:
    """Exit code 1 and one sentence, in every mode."""
    for mode in MODES:
        ran = run("search", query, "--workspace", samples, "--mode", mode)
        assert (ran.code, ran.out) == (1, "")
        assert "The query is empty" in ran.complaint


QUERIES = (
    *("*", 'the "gateway', '" gateway', "' OR 1=1 --", "🙂", "🙂 网关", "gateway AND (", "title:x^2 ~ [a TO b]"),
    *("%_\\", "\udc80 gateway", "--", "-x", "gateway 网关 " * 1000),
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: ascii(query)[:20])
def test_any_query_is_safe(run: Run, samples: Path, query: str, mode: str) -> None:
    """Quotes, operators, emoji, half a letter, ten thousand characters: hits or none, and the query as it was typed."""
    ran = run("search", "--workspace", samples, "--mode", mode, "--k", 2, "--", query)
    assert ran.row["query"] == query
    assert len(ran.row["results"]) <= 2
    assert ("beginning was searched" in ran.err) == (len(query) > 2000)


def test_a_phrase_is_searched_as_one(run: Run, samples: Path) -> None:
    """Only what holds it in this order is found by words."""
    hits = run("search", '"device authority"', "--workspace", samples, "--mode", "text").row["results"]
    assert hits
    assert all("device authority" in hit["content"].lower() for hit in hits)


# -- fetch


def test_fetch_prints_the_whole_document(run: Run, samples: Path) -> None:
    """Two lines, an empty one, the text as it is."""
    ran = run("fetch", "manual-zh_产品使用手册", "--workspace", samples)
    text = (SAMPLES / "manual-zh/产品使用手册.md").read_text(encoding="utf-8")
    total = len(run("fetch", "manual-zh_产品使用手册", "--workspace", samples, "--json").rows)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"Document: manual-zh_产品使用手册\nTotal chunks: {total}\n\n{text}"


def test_fetch_json_says_what_chunk_says(run: Run, samples: Path) -> None:
    """The stored chunks are those that `chunk` prints, key by key."""
    cut = run("chunk", SAMPLES).rows
    for doc_id in {row["doc_id"] for row in cut}:
        stored = run("fetch", doc_id, "--workspace", samples, "--json").rows
        expected = [row for row in cut if row["doc_id"] == doc_id]
        assert stored == expected
        assert [list(row["metadata"]) for row in stored] == [list(row["metadata"]) for row in expected]


def test_a_document_that_an_index_lacks(run: Run, own_samples: Path) -> None:
    """Its text can be fetched; it has no chunks there."""
    from chunking.parsing import parse
    from chunking.store import Workspace

    Workspace.open(own_samples).put_document(parse(b"# New\n\nText", "new.md"))
    assert run("fetch", "new", "--workspace", own_samples).out == "Document: new\nTotal chunks: 0\n\n# New\n\nText\n"
    ran = run("fetch", "new", "--workspace", own_samples, "--json")
    assert (ran.code, ran.out) == (1, "")
    assert "the document 'new'" in ran.complaint


# -- documents, indexes, delete


def test_documents_lists_them_without_their_texts(run: Run, samples: Path) -> None:
    """One object; a row a document."""
    rows = run("documents", "--workspace", samples).row["documents"]
    assert [row["doc_id"] for row in rows] == [
        "api_rest-api-reference",
        "datasheet_heron-g4-datasheet",
        "faq_faq",
        "handbook_operations-handbook",
        "manual-zh-g3_鹭G3网关手册",
        "manual-zh_产品使用手册",
        "service-guides_finch-c4-service-guide",
        "service-guides_finch-l3-service-guide",
        "service-guides_finch-s2-service-guide",
        "service-guides_finch-t1-service-guide",
        "service-plans-zh_丰年服务方案",
        "service-plans-zh_仓廪服务方案",
        "service-plans-zh_青苗服务方案",
        "site-standard_site-standard-2022",
        "site-standard_site-standard-2025",
    ]
    for row in rows:
        assert row.keys() >= {
            "source",
            "title",
            "hash",
            "updated_at",
            "category",
            "path_hierarchy",
            "language",
            "doc_toc",
            "warnings",
        }
        assert "text" not in row
        assert row["characters"] == len(text_of(row["source"]))


def test_indexes_lists_them(run: Run, samples: Path) -> None:
    """One object; a row an index, with what differs from the defaults."""
    (row,) = run("indexes", "--workspace", samples).row["indexes"]
    assert (row["name"], row["state"], row["documents"], row["settings"], row["stale"]) == (
        "main",
        "complete",
        15,
        {},
        "",
    )
    assert row["chunks"] == len(run("chunk", SAMPLES).rows)


def test_an_index_that_is_out_of_date_says_so(run: Run, own_samples: Path) -> None:
    """In the list, and beside what is found in it: a document has come that it does not hold."""
    from chunking.parsing import parse
    from chunking.store import Workspace

    search = ("search", CHINESE, "--workspace", own_samples, "--mode", "text")
    assert run(*search).err == ""
    Workspace.open(own_samples).put_document(parse(b"# New\n\nText", "new.md"))
    ran = run(*search)
    assert ran.row["results"]
    assert ran.err == "Out of date: 1 document added. Build it again.\n"
    assert run("indexes", "--workspace", own_samples).row["indexes"][0]["stale"] == ran.err.strip()


def test_delete_takes_all_rows_of_a_document(run: Run, own_samples: Path) -> None:
    """From the documents and the index; the others stay."""
    at = ("--workspace", own_samples)
    chunks = len(run("fetch", "faq_faq", *at, "--json").rows)
    assert run("delete", "faq_faq", "faq_faq", *at).row == {"deleted": ["faq_faq"], "chunks": chunks}
    assert "faq_faq" not in [row["doc_id"] for row in run("documents", *at).row["documents"]]
    assert run("search", "warranty", *at, "--mode", "text", "--where", "document=faq_faq").row["results"] == []
    assert run("indexes", *at).row["indexes"][0]["documents"] == 14
    assert run("search", CHINESE, *at).row["results"]


def test_files_in_a_file_are_distinguished_and_go_with_it(run: Run, tmp_path: Path) -> None:
    """A line of their own, that names the file's document; `delete` names what went with it."""
    from chunking.parsing import parse_all
    from chunking.store import Workspace

    (tmp_path / "mail.eml").write_bytes(mail_with({"sparrow.txt": "The sparrow eats seeds."}))
    mail, sparrow = run("parse", tmp_path / "mail.eml").rows
    assert "parent_id" not in mail
    assert (sparrow["source"], sparrow["parent_id"]) == ("mail.eml/sparrow.txt", mail["doc_id"])
    assert {row["doc_id"] for row in run("chunk", tmp_path / "mail.eml").rows} == {"mail", "mail_eml_sparrow"}
    Workspace.open(tmp_path / "own").put_documents(parse_all((tmp_path / "mail.eml").read_bytes(), "mail.eml"))
    rows = run("documents", "--workspace", tmp_path / "own").row["documents"]
    assert [row["parent_id"] for row in rows] == ["", "mail"]
    assert run("delete", "mail", "--workspace", tmp_path / "own").row == {
        "deleted": ["mail", "mail_eml_sparrow"],
        "chunks": 0,
    }


def test_deleting_what_is_not_there_deletes_nothing(run: Run, own_samples: Path) -> None:
    """Not even the documents named beside it."""
    ran = run("delete", "faq_faq", "nobody", "--workspace", own_samples)
    assert (ran.code, ran.out) == (1, "")
    assert "'nobody'" in ran.complaint
    assert len(run("documents", "--workspace", own_samples).row["documents"]) == 15


@pytest.mark.parametrize(
    "words",
    [("search", "x"), ("fetch", "x"), ("fetch", "x", "--json"), ("documents",), ("indexes",), ("delete", "x")],
    ids=" ".join,
)
def test_a_workspace_that_is_not_there(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Exit code 1, one sentence, and it is not made."""
    ran = run(*words, "--workspace", tmp_path / "none")
    assert (ran.code, ran.out) == (1, "")
    assert "no workspace at" in ran.complaint
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("search", "x", "--name", "other"), "no index 'other'"),
        (("fetch", "faq_faq", "--name", "other"), "no index 'other'"),
        (("fetch", "faq_faq", "--name", "other", "--json"), "no index 'other'"),
        (("fetch", "nobody"), "no document 'nobody'"),
        (("fetch", "nobody", "--json"), "no document 'nobody'"),
        (("fetch", "it's ' OR 1=1"), "no document 'it's ' OR 1=1'"),
    ],
)
def test_a_missing_index_or_document_ends_with_1_and_a_sentence(
    run: Run, samples: Path, words: tuple[str, ...], says: str
) -> None:
    """An index or a document of another name: exit code 1, one sentence."""
    ran = run(*words, "--workspace", samples)
    assert (ran.code, ran.out) == (1, "")
    assert says in ran.complaint


def test_documents_are_searched_before_there_is_an_index(run: Run, tmp_path: Path) -> None:
    """In the same form, by words; a sentence on stderr says so."""
    from chunking.parsing import parse
    from chunking.store import Workspace

    Workspace.open(tmp_path).put_documents(
        [parse(b"# Pump\n\nOil it weekly.", "pump.md"), parse(b"# Lamp\n\nA lamp.", "lamp.md")]
    )
    ran = run("search", "how often is the pump oiled", "--workspace", tmp_path, "--k", 1)
    (hit,) = ran.row["results"]
    check(hit, RESULT)
    assert (hit["doc_id"], hit["legs"]["vector"], ran.row["mode"], ran.row["fingerprint"]) == ("pump", None, "text", "")
    assert "no index" in ran.err


def test_a_folder_that_is_no_workspace(run: Run, guide: Path) -> None:
    """It has no index; nothing is written into it."""
    ran = run("search", "x", "--workspace", guide)
    assert ran.code == 1
    assert "no index yet" in ran.complaint
    assert run("documents", "--workspace", guide).row == {"documents": []}
    assert [path.name for path in guide.iterdir()] == ["pump"]
