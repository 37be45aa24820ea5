"""The sample documents are what they promise to be, and every answer span is exact."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[1] / "sample_data"
HANDBOOK = "handbook/operations-handbook.md"
API = "api/rest-api-reference.md"
MANUAL = "manual-zh/产品使用手册.md"
FAQ = "faq/faq.txt"
DOCUMENTS = (HANDBOOK, API, MANUAL, FAQ)
MARKDOWN = (HANDBOOK, API, MANUAL)

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE_ROW = re.compile(r"^\|.*\|$")
HAN = re.compile(r"[\u4e00-\u9fff]")


def read(path: str) -> str:
    """The text of a sample file, decoded strictly and with its line ends as they are."""
    return (SAMPLES / path).read_bytes().decode("utf-8")


def outside_fences(path: str) -> str:
    """The text without fenced code, where `# comment` is no heading and `|` no table."""
    return FENCE.sub("", read(path))


def atx_levels(path: str) -> Counter[int]:
    """How many ATX headings of each level the document has."""
    return Counter(len(marks) for marks in re.findall(r"^(#{1,6}) ", outside_fences(path), re.MULTILINE))


def tables(path: str) -> list[list[str]]:
    """Runs of pipe rows, header and delimiter rows included."""
    runs: list[list[str]] = [[]]
    for line in outside_fences(path).split("\n"):
        if TABLE_ROW.match(line):
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def cells(row: str) -> int:
    """The number of cells of a pipe row."""
    return row.count("|") - 1


def load_questions() -> list[dict[str, Any]]:
    """All questions, in the order of the file."""
    return [json.loads(line) for line in read("questions.jsonl").splitlines()]


QUESTIONS = load_questions()


@pytest.mark.parametrize("path", [*DOCUMENTS, "README", "questions.jsonl", "handbook/images/roost-overview.svg"])
def test_plain_utf8(path: str) -> None:
    """No byte order mark, no carriage return, no tab, no trailing space, one line end at the end."""
    text = read(path)
    assert not text.startswith("\ufeff")
    assert not re.search(r"[\r\t\0\ufffd]", text)
    assert not re.search(r"[ \u3000]$", text, re.MULTILINE)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize(("path", "least_bytes"), [(HANDBOOK, 32_768), (API, 15_000), (MANUAL, 24_000), (FAQ, 7_500)])
def test_sizes(path: str, least_bytes: int) -> None:
    """Each document is long enough to be cut in interesting ways."""
    assert len((SAMPLES / path).read_bytes()) >= least_bytes


def test_manual_is_chinese() -> None:
    """The Chinese manual has at least 9,000 Chinese characters."""
    assert len(HAN.findall(read(MANUAL))) >= 9_000


@pytest.mark.parametrize(("path", "levels"), [(HANDBOOK, {1, 2, 3, 4}), (API, {1, 2, 3}), (MANUAL, {1, 2, 3, 4})])
def test_heading_levels(path: str, levels: set[int]) -> None:
    """One title, and every promised level below it."""
    found = atx_levels(path)
    assert set(found) == levels
    assert found[1] == 1


def test_handbook_has_the_hard_cases() -> None:
    """A setext heading, markup in a heading, nested lists, quotes, links, and comments that are no headings."""
    text, code = outside_fences(HANDBOOK), "".join(body for _, body in FENCE.findall(read(HANDBOOK)))
    assert re.search(r"^Escalation\n-{3,}$", text, re.MULTILINE)
    assert re.search(r"^### .*\*\w+\*.*`--[\w-]+`", text, re.MULTILINE)
    assert re.search(r"^ {5,}- ", text, re.MULTILINE)
    assert re.search(r"^> ", text, re.MULTILINE)
    assert re.search(r"^# \w", code, re.MULTILINE)


def test_links_and_images_lead_somewhere() -> None:
    """Each `#anchor` names a heading of its document, and each image is there."""
    for path in MARKDOWN:
        titles = re.findall(r"^#{1,6} (.+)$|^(.+)\n-{3,}$", outside_fences(path), re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", (atx or setext).lower()).replace(" ", "-") for atx, setext in titles}
        assert set(re.findall(r"(?<!!)\[[^\]]+\]\(#([^)]+)\)", read(path))) <= slugs
    image = re.search(r"!\[[^\]]+\]\((\S+)", read(HANDBOOK))
    assert image is not None
    assert (SAMPLES / HANDBOOK).parent.joinpath(image[1]).is_file()


@pytest.mark.parametrize(("path", "least"), [(HANDBOOK, 12), (API, 10), (MANUAL, 15)])
def test_tables(path: str, least: int) -> None:
    """Many tables, each with a delimiter row and as many cells in every row."""
    found = tables(path)
    assert len(found) >= least
    for table in found:
        assert re.fullmatch(r"\|(:?-+:?\|)+", table[1])
        assert len({cells(row) for row in table}) == 1, table[0]


def test_one_table_is_big() -> None:
    """The handbook has exactly one table above the limit of 20 rows."""
    assert [len(table) - 2 for table in tables(HANDBOOK) if len(table) - 2 > 20] == [25]


@pytest.mark.parametrize(
    ("path", "languages"),
    [
        (HANDBOOK, {"bash", "nginx", "python", "sql", "yaml"}),
        (API, {"bash", "http", "json", "python"}),
        (MANUAL, {"bash", "json", "yaml"}),
    ],
)
def test_code(path: str, languages: set[str]) -> None:
    """Fences are closed and name their language; Python compiles and JSON parses."""
    text = read(path)
    fences = FENCE.findall(text)
    assert {language for language, _ in fences} == languages
    assert text.count("```") == 2 * len(fences)
    for language, body in fences:
        if language == "python":
            compile(body, path, "exec")
        if language == "json":
            json.loads(body)


def test_one_fence_is_long() -> None:
    """A fence of about 60 lines cannot fit a chunk of the default size."""
    assert max(body.count("\n") for _, body in FENCE.findall(read(HANDBOOK))) >= 60


@pytest.mark.parametrize(
    ("path", "question", "answer", "least"),
    [(HANDBOOK, "**Q:** ", "A: ", 8), (API, "**Q:** ", "A: ", 4), (MANUAL, "问：", "答：", 12), (FAQ, "Q: ", "A: ", 40)],
)
def test_question_answer_pairs(path: str, question: str, answer: str, least: int) -> None:
    """Every question line is followed by its answer line."""
    lines = read(path).split("\n")
    asked = [number for number, line in enumerate(lines) if line.startswith(question)]
    assert len(asked) >= least
    assert all(lines[number + 1].startswith(answer) for number in asked)
    assert sum(line.startswith(answer) for line in lines) == len(asked)


def test_question_counts() -> None:
    """Enough questions in both languages, and every document is asked about."""
    languages = Counter(question["language"] for question in QUESTIONS)
    assert len(QUESTIONS) >= 66
    assert set(languages) == {"en", "zh"}
    assert languages["zh"] >= 24
    per_document = Counter(question["doc"] for question in QUESTIONS)
    assert set(per_document) == set(DOCUMENTS)
    assert min(per_document.values()) >= 12


def test_question_fields() -> None:
    """Each line has exactly the documented fields, and no id or question stands twice."""
    for question in QUESTIONS:
        assert list(question) == ["id", "question", "language", "doc", "answers"]
        assert question["language"] == ("zh" if question["doc"] == MANUAL else "en")
        assert bool(HAN.search(question["question"])) == (question["language"] == "zh")
    for key in ("id", "question"):
        assert len({question[key] for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=[question["id"] for question in QUESTIONS])
def test_spans_are_exact_and_unique(question: dict[str, Any]) -> None:
    """`text == document[start:end]`, spans are in order, short, and stand nowhere else in the samples."""
    text = read(question["doc"])
    assert question["answers"]
    end = 0
    for answer in question["answers"]:
        assert list(answer) == ["text", "start", "end"]
        assert end <= answer["start"] < answer["end"]
        end = answer["end"]
        assert text[answer["start"] : end] == answer["text"] == answer["text"].strip()
        assert len(answer["text"]) <= 250
        assert sum(read(path).count(answer["text"]) for path in DOCUMENTS) == 1


def test_no_answer_serves_two_questions() -> None:
    """Answer spans of different questions do not overlap, so a hit counts for one question."""
    for path in DOCUMENTS:
        spans = sorted((a["start"], a["end"]) for question in QUESTIONS if question["doc"] == path for a in question["answers"])
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_some_questions_need_two_spans_rows_and_code() -> None:
    """The questions are of many kinds: sentences, table rows, code lines, several spans."""
    fenced = {path: "".join(body for _, body in FENCE.findall(read(path))) for path in MARKDOWN}
    answers = [(question["doc"], answer["text"]) for question in QUESTIONS for answer in question["answers"]]
    assert sum(len(question["answers"]) > 1 for question in QUESTIONS) >= 3
    assert sum(text.startswith("|") for _, text in answers) >= 20
    assert sum(text in fenced.get(path, "") for path, text in answers) >= 5


def test_readme_shows_a_real_question() -> None:
    """The README's example is a line of the file, and its tables name every document."""
    readme = read("README")
    (example,) = [body for language, body in FENCE.findall(readme) if language == "json"]
    assert example in read("questions.jsonl")
    assert all(f"`{path}`" in readme for path in (*DOCUMENTS, "questions.jsonl"))
