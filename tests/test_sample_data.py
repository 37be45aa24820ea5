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
GUIDES = tuple(f"service-guides/finch-{sensor}-service-guide.md" for sensor in ("c4", "l3", "s2", "t1"))
PLANS = tuple(f"service-plans-zh/{plan}服务方案.md" for plan in ("丰年", "仓廪", "青苗"))
STANDARDS = tuple(f"site-standard/site-standard-{year}.md" for year in (2022, 2025))
G3 = "manual-zh-g3/鹭G3网关手册.md"
ALIKE = (*GUIDES, *PLANS, *STANDARDS, G3)
"""Documents that resemble each other, or one of the first four."""
EVERY = (*DOCUMENTS, *ALIKE)
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


def document_of(question: dict[str, Any], answer: dict[str, Any]) -> str:
    """Path of the document that an answer stands in."""
    path: str = answer.get("doc", question["doc"])
    return path


QUESTIONS = load_questions()
ACROSS = [json.loads(line) for line in read("questions_across.jsonl").splitlines()]
UNANSWERABLE = [json.loads(line) for line in read("unanswerable.jsonl").splitlines()]


@pytest.mark.parametrize(
    "path",
    [
        *EVERY,
        "README",
        "questions.jsonl",
        "questions_across.jsonl",
        "unanswerable.jsonl",
        "handbook/images/roost-overview.svg",
    ],
)
def test_samples_are_plain_utf8(path: str) -> None:
    """No byte order mark, no carriage return, no tab, no trailing space, one line end at the end."""
    text = read(path)
    assert not text.startswith("\ufeff")
    assert not re.search(r"[\r\t\0\ufffd]", text)
    assert not re.search(r"[ \u3000]$", text, re.MULTILINE)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize(("path", "least_bytes"), [(HANDBOOK, 32_768), (API, 15_000), (MANUAL, 24_000), (FAQ, 7_500)])
def test_samples_are_long_enough(path: str, least_bytes: int) -> None:
    """Each document is long enough to be cut in interesting ways."""
    assert len((SAMPLES / path).read_bytes()) >= least_bytes


def test_manual_is_chinese() -> None:
    """The Chinese manual has at least 9,000 Chinese characters."""
    assert len(HAN.findall(read(MANUAL))) >= 9_000


@pytest.mark.parametrize(("path", "levels"), [(HANDBOOK, {1, 2, 3, 4}), (API, {1, 2, 3}), (MANUAL, {1, 2, 3, 4})])
def test_samples_have_the_promised_heading_levels(path: str, levels: set[int]) -> None:
    """One title, and every promised level below it."""
    levels_present = atx_levels(path)
    assert set(levels_present) == levels
    assert levels_present[1] == 1


@pytest.mark.parametrize("alike", [GUIDES, PLANS], ids=["guides", "plans"])
def test_variants_have_the_same_headings(alike: tuple[str, ...]) -> None:
    """Only the title tells one from another, so what a chunk is of must be put before it."""
    (headings,) = {tuple(re.findall(r"^## (.+)$", read(path), re.MULTILINE)) for path in alike}
    assert len(headings) >= 7
    assert len({re.findall(r"^# (.+)$", read(path), re.MULTILINE)[0] for path in alike}) == len(alike)


def test_the_two_editions_have_the_same_headings() -> None:
    """And no two of their sections say the same."""
    old, new = (re.split(r"^## ", read(path), flags=re.MULTILINE)[1:] for path in STANDARDS)
    assert [section.split("\n")[0] for section in old] == [section.split("\n")[0] for section in new]
    assert not set(old) & set(new)


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
def test_samples_have_regular_tables(path: str, least: int) -> None:
    """Many tables, each with a delimiter row and as many cells in every row."""
    tables_present = tables(path)
    assert len(tables_present) >= least
    for table in tables_present:
        assert re.fullmatch(r"\|(:?-+:?\|)+", table[1])
        assert len({cells(row) for row in table}) == 1, table[0]


def test_one_sample_table_exceeds_the_row_limit() -> None:
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
def test_samples_have_closed_fences_and_valid_code(path: str, languages: set[str]) -> None:
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


def test_one_sample_fence_exceeds_a_chunk() -> None:
    """A fence of about 60 lines cannot fit a chunk of the default size."""
    assert max(body.count("\n") for _, body in FENCE.findall(read(HANDBOOK))) >= 60


@pytest.mark.parametrize(
    ("path", "question", "answer", "least"),
    [
        (HANDBOOK, "**Q:** ", "A: ", 8),
        (API, "**Q:** ", "A: ", 4),
        (MANUAL, "问：", "答：", 12),
        (FAQ, "Q: ", "A: ", 40),
    ],
)
def test_question_answer_pairs(path: str, question: str, answer: str, least: int) -> None:
    """Every question line is followed by its answer line."""
    lines = read(path).split("\n")
    line_numbers = [number for number, line in enumerate(lines) if line.startswith(question)]
    assert len(line_numbers) >= least
    assert all(lines[number + 1].startswith(answer) for number in line_numbers)
    assert sum(line.startswith(answer) for line in lines) == len(line_numbers)


def test_there_are_questions_enough_in_both_languages() -> None:
    """Enough questions in both languages, and every document is asked about."""
    languages = Counter(question["language"] for question in QUESTIONS)
    assert len(QUESTIONS) >= 200
    assert set(languages) == {"en", "zh"}
    assert languages["zh"] >= 80
    per_document = Counter(question["doc"] for question in QUESTIONS)
    assert set(per_document) == set(EVERY)
    assert min(per_document[path] for path in DOCUMENTS) >= 12
    assert min(per_document.values()) >= 8
    assert 60 <= sum(question["part"] == "holdout" for question in QUESTIONS) <= 75


def test_questions_have_the_documented_fields() -> None:
    """Each line has exactly the documented fields, and no id or question stands twice."""
    for question in QUESTIONS:
        assert list(question) == ["id", "question", "language", "doc", "answers", "part"]
        assert question["part"] in ("tune", "holdout")
        assert question["language"] == ("zh" if question["doc"] in (MANUAL, G3, *PLANS) else "en")
        assert bool(HAN.search(question["question"])) == (question["language"] == "zh")
    for key in ("id", "question"):
        assert len({question[key] for question in QUESTIONS}) == len(QUESTIONS)


def test_questions_across_languages_are_about_documents_in_the_other() -> None:
    """Five each way, in a set of their own, with the fields of the others."""
    assert Counter(question["language"] for question in ACROSS) == {"en": 5, "zh": 5}
    for question in ACROSS:
        assert list(question) == list(QUESTIONS[0])
        assert bool(HAN.search(question["question"])) == (question["language"] == "zh")
        assert (question["doc"] in (MANUAL, G3, *PLANS)) == (question["language"] == "en")
    for key in ("id", "question"):
        assert len({question[key] for question in [*QUESTIONS, *ACROSS]}) == len(QUESTIONS) + len(ACROSS)


@pytest.mark.parametrize("question", [*QUESTIONS, *ACROSS], ids=[one["id"] for one in [*QUESTIONS, *ACROSS]])
def test_spans_are_exact_and_unique(question: dict[str, Any]) -> None:
    """`text == document[start:end]`, spans are in order, short, and stand nowhere else in the samples."""
    assert question["answers"]
    ends: Counter[str] = Counter()
    for answer in question["answers"]:
        assert [key for key in answer if key != "doc"] == ["text", "start", "end"]
        path = document_of(question, answer)
        assert ends[path] <= answer["start"] < answer["end"]
        ends[path] = answer["end"]
        assert read(path)[answer["start"] : answer["end"]] == answer["text"] == answer["text"].strip()
        assert len(answer["text"]) <= 250
        assert sum(read(path).count(answer["text"]) for path in EVERY) == 1


def test_no_answer_serves_two_questions() -> None:
    """Answer spans of different questions do not overlap, so a hit counts for one question."""
    for path in EVERY:
        spans = sorted(
            (a["start"], a["end"])
            for question in QUESTIONS
            for a in question["answers"]
            if document_of(question, a) == path
        )
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_questions_without_an_answer() -> None:
    """They have no document and no gold answer, half of them in each language, and none is in the question set."""
    assert all(list(question) == ["id", "question", "language"] for question in UNANSWERABLE)
    assert Counter(question["language"] for question in UNANSWERABLE) == {"en": 10, "zh": 10}
    assert not {question["question"] for question in UNANSWERABLE} & {question["question"] for question in QUESTIONS}
    assert len({question["id"] for question in [*QUESTIONS, *UNANSWERABLE]}) == len(QUESTIONS) + len(UNANSWERABLE)


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
    assert all(
        f"`{path}`" in readme for path in (*EVERY, "questions.jsonl", "questions_across.jsonl", "unanswerable.jsonl")
    )
