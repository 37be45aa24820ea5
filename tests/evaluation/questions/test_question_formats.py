"""Question files of other tools, by their own columns: RAGAS, SQuAD and BEIR, as JSON, JSON lines, CSV, Parquet and
ZIP.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import QuestionError
from chunking.evaluation import Imported, ProblemKind, read_questions
from chunking.evaluation.questions.files import question_rows
from chunking.evaluation.questions.files.question_formats import FORMATS
from chunking.evaluation.questions.files.row_values import read_cell
from chunking.model import Document
from chunking.parsing import parse
from tests.support.shared_data import shared_data

LEAVE = "Employees get 25 days of paid leave a year. Unused days lapse on 31 March."
TRAVEL = "The firm’s travel desk books flights; “premium” seats need approval. It opens on 31 March."
BEIR = {
    "queries.jsonl": '{"_id": "q1", "text": "Who books?"}\n{"_id": "q2", "text": "Nobody judged this."}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\ttravel\t1\nq1\tleave\t0\n",
    "corpus.jsonl": (
        f'{{"_id": "travel", "title": "T", "text": "{TRAVEL.partition(";")[0]}"}}\n{{"_id": "leave", "text": '
        f'"{LEAVE}"}}\n'
    ),
}


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [
        parse(f"# Leave\n\n{LEAVE}\n".encode(), "hr/leave.md"),
        parse(f"# Travel\n\n{TRAVEL}\n".encode(), "hr/travel.md"),
    ]


def json_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def json_array(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return json.dumps({"data": rows}, indent=1).encode()


def python_cells(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """As pandas writes a table: lists as Python prints them."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(
        {name: value if isinstance(value, str) else repr(value) for name, value in row.items()} for row in rows
    )
    return file.getvalue().encode()


def parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), file)
    return file.getvalue()


WRITERS = (json_lines, json_array, python_cells, parquet)


def answers(imported: Imported) -> dict[str, list[str]]:
    return {one.text: [answer.text for answer in one.answers] for one in imported.questions.questions}


def exact(imported: Imported, documents: Sequence[Document]) -> bool:
    texts = {one.doc_id: one.text for one in documents}
    spans = [answer for question in imported.questions.questions for answer in question.answers]
    return all(texts[one.doc_id][one.start : one.end] == one.text for one in spans)


@pytest.mark.parametrize("write", WRITERS)
def test_ragas_contexts_become_answers(write: Any, documents: list[Document]) -> None:
    """The passages are the gold answer, with the marks of their hops taken off; the reference in other words is not
    looked for.
    """
    rows = [
        {
            "user_input": "How many days?",
            "reference_contexts": ["Employees get 25 days of paid leave a year."],
            "reference": "25",
        },
        {
            "user_input": "Days, and who books?",
            "reference_contexts": [
                "<1-hop>\n\nEmployees get 25 days of paid leave a year.",
                "<2-hop>\n\nThe firm's travel desk books flights",
            ],
            "reference": "Both.",
        },
    ]
    imported = read_questions(write(rows), "testset", documents)
    assert answers(imported) == {
        "How many days?": ["Employees get 25 days of paid leave a year."],
        "Days, and who books?": ["Employees get 25 days of paid leave a year.", "The firm’s travel desk books flights"],
    }
    assert exact(imported, documents)
    assert not imported.problems


@pytest.mark.parametrize("write", WRITERS)
def test_ragas_before_its_columns_were_renamed(write: Any, documents: list[Document]) -> None:
    """Of a generated test set the contexts are gold; of an evaluation they are what was retrieved, and the ground truth
    is gold.
    """
    row = {
        "question": "How many days?",
        "contexts": ["Employees get 25 days of paid leave a year."],
        "ground_truth": "25 days",
    }
    testset = read_questions(write([row | {"evolution_type": "simple"}]), "testset", documents)
    assert answers(testset) == {"How many days?": row["contexts"]}
    query = read_questions(write([row | {"answer": "Thirty."}]), "results", documents)
    assert answers(query) == {"How many days?": ["25 days"]}


def test_squad_offsets_count_from_the_passage(documents: list[Document]) -> None:
    """Offsets count from the passage; of several wordings the first counts; what its passage does not answer has no
    answer.
    """
    query = [
        {
            "id": "a",
            "question": "When do they lapse?",
            "answers": [{"text": "31 March", "answer_start": LEAVE.index("31 March")}],
        },
        {
            "id": "b",
            "question": "How many?",
            "answers": [{"text": "25", "answer_start": 14}, {"text": "25 days", "answer_start": 14}],
        },
        {
            "id": "c",
            "question": "Who pays?",
            "answers": [],
            "is_impossible": True,
            "plausible_answers": [{"text": "25", "answer_start": 14}],
        },
    ]
    article = {"title": "Leave", "paragraphs": [{"context": LEAVE, "qas": query}]}
    later = {
        "title": "?",
        "paragraphs": [{"context": TRAVEL, "qas": [{**query[0], "id": "d", "question": "When does it open?"}]}],
    }
    for data in (
        json.dumps({"version": "2", "data": [article, later]}),
        json.dumps([article, later], indent=2),
        json_lines([article, later]),
    ):
        imported = read_questions(data if isinstance(data, bytes) else data.encode(), "dev-v2.0.json", documents)
        assert not imported.problems
        assert [(one.id, [span.doc_id for span in one.answers]) for one in imported.questions.questions] == [
            ("a", ["hr_leave"]),
            ("b", ["hr_leave"]),
            ("c", []),
            ("d", ["hr_travel"]),
        ]
        assert answers(imported)["How many?"] == ["25"]
        assert [one.unanswerable for one in imported.questions.questions] == [False, False, True, False]
        assert exact(imported, documents)


@pytest.mark.parametrize("write", WRITERS)
def test_squad_a_question_a_row(write: Any, documents: list[Document]) -> None:
    """As it lies on model hubs: the answers as two lists side by side."""
    rows = [
        {
            "id": "1",
            "title": "x",
            "context": LEAVE,
            "question": "When?",
            "answers": {"text": ["31 March"], "answer_start": [64]},
        },
        {"id": "2", "title": "x", "context": TRAVEL, "question": "Whose?", "answers": {"text": [], "answer_start": []}},
    ]
    imported = read_questions(write(rows), "train", documents)
    assert answers(imported) == {"When?": ["31 March"], "Whose?": []}
    assert imported.questions.questions[0].answers[0].doc_id == "hr_leave"
    assert imported.questions.questions[1].unanswerable


def test_squad_cells_as_numpy_prints_them(documents: list[Document]) -> None:
    cell = "{'text': array(['31 March'], dtype=object), 'answer_start': array([64], dtype=int32)}"
    data = f'id,context,question,answers\n1,"{LEAVE}",When?,"{cell}"\n'.encode()
    assert answers(read_questions(data, "train.csv", documents)) == {"When?": ["31 March"]}


def test_a_passage_that_was_read_otherwise(documents: list[Document]) -> None:
    """Other line breaks and quote marks find it; one that is not there leaves the answer alone to be looked for."""
    passage = TRAVEL.replace("’", "'").replace("“", '"').replace("”", '"').replace(" desk ", "\n desk ")
    rows = [{"context": passage, "question": "When?", "answers": [{"text": "31 March", "answer_start": 10_000}]}]
    assert (
        read_questions(json_lines(rows), "a.jsonl", documents).questions.questions[0].answers[0].doc_id == "hr_travel"
    )
    rows = [{"context": "Gone.", "question": "What?", "answers": [{"text": "travel desk", "answer_start": 0}]}]
    assert answers(read_questions(json_lines(rows), "a.jsonl", documents)) == {"What?": ["travel desk"]}


@pytest.mark.parametrize("quoted", [True, False])
def test_snippets_of_legalbench_are_answers_in_their_files(quoted: bool, documents: list[Document]) -> None:
    """Several files may answer a query; a span is enough, and its words find it again where the text has moved."""
    leave, travel = documents[0].text.index("25 days"), documents[1].text.index("It opens") + 2 * quoted
    snippets = [
        {"file_path": "hr/leave.md", "span": [leave, leave + 7], "answer": "25 days"},
        {"file_path": "hr/travel.md", "span": [travel, travel + 8], "answer": "It opens"},
    ]
    rows = [{name: value for name, value in one.items() if quoted or name != "answer"} for one in snippets]
    tests = [{"query": "Consider the firm; how long, and when?", "snippets": rows, "tags": ["hr"]}]
    imported = read_questions(json.dumps({"tests": tests}, indent=1).encode(), "hr.json", documents)
    assert answers(imported) == {tests[0]["query"]: ["25 days", "It opens"]}
    assert [one.kind for one in imported.problems] == [ProblemKind.MOVED] * quoted
    assert exact(imported, documents)


def zipped(files: Mapping[str, str], folder: str = "scifact/") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in files.items():
            archive.writestr(folder + name, text)
    return file.getvalue()


@pytest.mark.parametrize("corpus", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_judged_queries_of_beir_are_read(packed: bool, corpus: bool, documents: list[Document]) -> None:
    """Every query that was judged, with the text of its documents; without these texts, all of the document of that
    name.
    """
    files = {name: text for name, text in BEIR.items() if corpus or name != "corpus.jsonl"}
    if packed:
        imported = read_questions(zipped(files), "scifact.zip", documents)
    else:
        other_files = {name: text.encode() for name, text in files.items() if name != "queries.jsonl"}
        imported = read_questions(files["queries.jsonl"].encode(), "queries.jsonl", documents, other_files)
    expected = TRAVEL.partition(";")[0] if corpus else documents[1].text.strip()
    assert answers(imported) == {"Who books?": [expected]}
    assert exact(imported, documents)


def test_beir_takes_the_judgements_of_the_test_split(documents: list[Document]) -> None:
    other = "query-id\tcorpus-id\tscore\nq2\tleave\t1\n"
    imported = read_questions(
        zipped(BEIR | {"qrels/dev.tsv": other, "qrels/train.tsv": other}), "scifact.zip", documents
    )
    assert (list(answers(imported)), len(imported.notes)) == (["Who books?"], 1)


def test_beir_of_documents_that_are_not_here(documents: list[Document]) -> None:
    files = BEIR | {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\tabsent\t1\n"}
    (problem,) = read_questions(zipped(files), "scifact.zip", documents).problems
    assert problem.kind is ProblemKind.NO_DOCUMENT


@pytest.mark.parametrize(
    ("data", "name", "own"),
    [
        (b"prompt,gold\nHow?,It.\n", "a.csv", ("prompt", "gold")),
        (b'{"prompt": "How?", "gold": "It."}\n', "a.jsonl", ("prompt", "gold")),
        (b'[{"prompt": "How?"}, {"gold": 1}]', "a.json", ("prompt", "gold")),
        (b'{"question": "How?", "reply": "It."}', "a.jsonl", ("question", "reply")),
        (BEIR["queries.jsonl"].encode(), "queries.jsonl", ("_id", "text")),
    ],
)
def test_unknown_columns_are_named_next_to_those_that_are_known(
    data: bytes, name: str, own: Sequence[str], documents: list[Document]
) -> None:
    """Of every kind of file."""
    with pytest.raises(QuestionError) as caught:
        read_questions(data, name, documents)
    said = str(caught.value)
    assert caught.value.where == name
    assert all(column in said for column in own)
    assert all(column in said for form in FORMATS for column in form.columns)
    assert "query-id" in said


def test_a_parquet_file_with_unknown_columns(documents: list[Document]) -> None:
    with pytest.raises(QuestionError, match="prompt"):
        read_questions(parquet([{"prompt": "How?"}]), "a.parquet", documents)


@pytest.mark.parametrize(
    "data",
    [
        b"PAR1" + b"\x00" * 400,
        b"PAR1PAR1",
        zipped({}),
        zipped({"notes.md": "words"}),
        zipped({str(number): "a" for number in range(60)}),
        BEIR["qrels/test.tsv"].encode(),
        zipped({"a.jsonl": '{"question": "a"}', "b.jsonl": '{"question": "b"}'}),
    ],
)
def test_bad_files_are_one_sentence(data: bytes, documents: list[Document]) -> None:
    with pytest.raises(QuestionError) as caught:
        read_questions(data, "mine", documents)
    assert str(caught.value).startswith("mine")


def test_an_archive_is_bounded_by_what_it_unpacks_to(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its list says of the sizes."""
    monkeypatch.setattr(question_rows, "MOST_BYTES", 10_000)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("queries.jsonl", " " * 1_000_000)
    with pytest.raises(QuestionError, match="10,000"):
        read_questions(file.getvalue(), "bomb.zip", documents)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(VALUES, max_size=4) | st.dictionaries(st.text(max_size=6), VALUES, max_size=3))
def test_cells_read_back_what_python_and_json_print(value: Any) -> None:
    assert read_cell(json.dumps(value)) == value
    assert read_cell(repr(value)) == value


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="[](){}'\",:\\a1 array.dtype=\n-", max_size=60).map("[".__add__) | st.text(max_size=40))
def test_any_cell_is_read_or_left_as_text(cell: str) -> None:
    """Nothing in it is run, and nothing is raised."""
    assert read_cell(cell) is None or isinstance(read_cell(cell), list | dict)


@pytest.mark.parametrize(
    "cell",
    ["[" * 100_000, "{" * 5_000, "['" + "a" * 2_000_000, "array(" * 9_000, "[" + "9" * 50_000 + "]", "[,]", "[b'a'"],
)
def test_a_hostile_cell_is_read_as_nothing(cell: str) -> None:
    assert read_cell(cell) is None


def test_the_file_that_failed() -> None:
    """Of a public report: RAGAS's columns."""
    folder = shared_data("wild/ragas")
    documents = [parse(path.read_bytes(), path.name) for path in sorted((folder / "docs").iterdir())]
    imported = read_questions((folder / "q_ragas.jsonl").read_bytes(), "q_ragas.jsonl", documents)
    assert answers(imported) == {"How many days of leave?": ["Employees get 25 days of paid leave a year."]}
