"""Names: hostile ones, long ones, colliding ones, and what a path says."""

from __future__ import annotations

import pytest

from chunking.parsing import clean_source, make_doc_id, parse
from chunking.parsing.detection.path_names import category_of


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/abs/path.md", "abs/path.md"),
        ("C:\\Users\\me\\a.md", "Users/me/a.md"),
        ("a/./b/../c.md", "a/b/c.md"),
        ("invoice\u202egpj.md", "invoicegpj.md"),
        ("a\x00b\x1b[31m.md", "ab[31m.md"),
        ("tab\tand\nline.md", "tab and line.md"),
        ("....//x.md", "x.md"),
        ("手册/安装 指南.md", "手册/安装 指南.md"),
        ("", "document"),
        ("..\\..", "document"),
    ],
)
def test_a_hostile_name_leads_nowhere_outside(name: str, source: str) -> None:
    """No way out of the workspace, nothing invisible, and the harmless part stays readable."""
    assert clean_source(name) == source


def test_names_of_300_characters() -> None:
    """A long name is cut but keeps its ending, and two long names stay two."""
    one, two = clean_source("a" * 400 + "1.md"), clean_source("a" * 400 + "2.md")
    assert len(one) == 300
    assert one.endswith(".md")
    assert one != two
    assert parse(b"text", "a" * 400 + ".md").format == "markdown"
    assert len(make_doc_id(one)) == 100
    assert make_doc_id(one) != make_doc_id(two)


def test_ids_come_from_the_path_and_are_unique() -> None:
    """From the path, in any script, unique among those taken."""
    assert make_doc_id("手册/安装 指南.md") == "手册_安装_指南"
    assert make_doc_id("v1.2/read me (new).md") == "v1_2_read_me_new"
    assert make_doc_id("???.md") == "document"
    used: list[str] = []
    for _ in range(12):
        used.append(make_doc_id("x" * 150 + ".md", used))
    assert len(set(used)) == 12
    assert all(len(doc_id) <= 100 for doc_id in used)


@pytest.mark.parametrize(
    ("source", "category"),
    [
        ("api/rest.md", "api"),
        ("docs/api/faq.md", "faq"),
        ("examples/run.md", "demo"),
        ("manual-zh/常见问题解答.md", "faq"),
        ("capital/therapist.md", "doc"),
    ],
)
def test_the_category_comes_from_the_name_or_folder(source: str, category: str) -> None:
    """Whole words of the name, else of the nearest folder; a setting wins."""
    assert category_of(source) == category
    assert parse(b"x", source, category="law").category == "law"
