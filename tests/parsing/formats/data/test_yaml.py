"""YAML: paths as sections, comments kept, nothing constructed, no alias written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ParseError, TooLargeError
from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.formats.data import yaml_reader
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check


def read(text: str | bytes, name: str = "a.yaml") -> Document:
    """A lawful document."""
    document = parse(text.encode() if isinstance(text, str) else text, name)
    check(document)
    assert document.format == "yaml"
    return document


def path_of(document: Document, words: str) -> tuple[str, ...]:
    """The section in which some words stand."""
    return document.section_at(document.text.index(words)).title_path


def assert_sentence(error: ParseError) -> None:
    """It names the file, on one line."""
    assert "a.yaml" in str(error)
    assert "\n" not in str(error)


def test_paths_are_sections() -> None:
    """Of nested keys and of list elements; values as they are written, whatever type they would have."""
    document = read(
        'replicas: 03\nenabled: yes\nwhen: 2026-05-04\nimage:\n  repo: nginx\n  tag: "1.20"\n'
        "servers:\n- url: https://a.example\n  ports: [80, 443]\n- url: https://b.example\n"
    )
    assert path_of(document, "https://b.example") == ("servers", "1")
    assert path_of(document, "tag: 1.20") == ("image",)
    assert path_of(document, "ports: 80, 443") == ("servers", "0")
    assert document.text.startswith("replicas: 03\nenabled: yes\nwhen: 2026-05-04")


def test_comments_are_text() -> None:
    """Above a key, behind a value and at the end; a `#` inside a text is none."""
    document = read(
        "# Default values.\nreplicas: 3  # how many\nimage:\n  ## Where it comes from\n"
        "  repo: nginx # hub\nrun: |\n  # a line\n  echo\nurl: a#b\n# The end.\n"
    )
    for words in ("Default values.", "replicas: 3 # how many", "repo: nginx # hub", "url: a#b", "The end."):
        assert words in document.text
    assert path_of(document, "Where it comes from") == ("image",)
    assert document.text.count("# a line") == 1


def test_texts_of_several_lines() -> None:
    """Literal and folded."""
    document = read("a: |\n  One.\n\n  Two.\nb: >\n  folded\n  text\nc: 'q''s'\n")
    assert "a: One.\n\nTwo." in document.text
    assert "b: folded text" in document.text
    assert "c: q's" in document.text


def test_documents_tags_anchors() -> None:
    """Several documents are sections by their number; a tag stands before its value; an alias says what it means, where
    that is short.
    """
    document = read(
        "base: &b {size: 3}\nname: &n finch\nuse:\n  <<: *b\n  who: *n\nfn: !Ref Bucket\n"
        "bin: !!python/object:os.system x\n---\nsecond: 2\n...\n"
    )
    assert path_of(document, "second: 2") == ("2",)
    for words in ("<<: *b", "who: finch", "fn: !Ref Bucket"):
        assert words in document.text
    assert document.title == "a"


def test_a_billion_laughs() -> None:
    """Is as long as its source."""
    lines = ["a0: &a0 [lol, lol]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    document = read("\n".join(lines))
    assert len(document.text) < 5_000
    long = read(f"a: &a {'word ' * 2_000}\nb: [{', '.join(['*a'] * 1_000)}]\n")
    assert len(long.text) < 30_000


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000 + "x", "\n".join(f"{' ' * n}a:" for n in range(3_000))]
)
def test_too_deep_yaml_is_one_sentence(text: str) -> None:
    """A sentence, closed or not."""
    with pytest.raises(ParseError) as caught:
        parse(text.encode(), "a.yaml")
    assert "a.yaml" in str(caught.value)


def test_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence."""
    monkeypatch.setattr(yaml_reader, "MAX_VALUES", 20)
    with pytest.raises(TooLargeError, match="more than 20 values"):
        parse(b"- a\n" * 30, "a.yaml")


@pytest.mark.parametrize(
    "text",
    ["a: b: c", "a: [1", "{{ .Values.x }}: {% if %}", "\t- a", "a: *none", "%YAML 9", "", "   ", "---\n", "? [a"],
)
def test_damaged_yaml_is_one_sentence(text: str) -> None:
    """One sentence that names the file, or a lawful document."""
    try:
        check(parse(text.encode(), "a.yaml"))
    except ParseError as error:
        assert_sentence(error)


def test_yaml_is_read_in_many_encodings() -> None:
    """UTF-16 with a mark, GBK, control characters."""
    for encoding in ("utf-16", "gb18030", "utf-8-sig"):
        assert (
            "名称: 芦苇荡观察"
            in read("名称: 芦苇荡观察\n说明: 清晨的雾很浓，只能听见鸟的叫声。\n".encode(encoding)).text
        )
    assert "a: x" in read("a: x\x1b[31m\n").text


_LINES = st.sampled_from(
    [
        "a: b",
        "- c",
        "  d: e",
        "  - f",
        "g:",
        "# h",
        "i: |",
        "   j",
        "---",
        "k: &l m",
        "n: *l",
        "o: {p: q}",
        "r: [s]",
        "",
        "? t",
        ": u",
        "!x y",
        "中: 文",
    ]
)


@given(st.lists(_LINES, max_size=12))
def test_any_lines_make_a_lawful_document(lines: list[str]) -> None:
    """Or a sentence."""
    try:
        document = parse("\n".join([*lines, "z: word"]).encode(), "a.yaml")
    except ParseError:
        return
    check(document)
    check_cutting(document)
