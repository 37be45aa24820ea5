"""The laws of a document, on anything."""

from __future__ import annotations

import pickle

from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from chunking.errors import ParseError
from chunking.model import Document
from chunking.parsing import clean_source, make_doc_id, parse
from tests.support.laws_documents import check
from tests.support.strategies import markdown, plain_text

_BLOCKS = [
    "# ",
    "## ",
    "- ",
    "1. ",
    "> ",
    "```",
    "~~~js",
    "    ",
    "\t",
    "|a|b|\n|-|-|\n",
    "| x | y |",
    "===",
    "---",
    "$$",
    "===\n",
    "title: x\n",
]
_HTML = ["<h2>t</h2>", "<div>", "<!--", "-->"]
_PAIRS = [
    "Q: why?",
    "A: so.",
    "问：吗？",
    "答：是。",
    "**Q:** x",
    "[a]: /b",
    "![i](p)",
    "第一章 始",
    "1.2 Title",
    "CAPITALS",
]
_ODD = [
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "word",
    "中文。",
    "\u2028",
    "\x0c",
    "\x85",
    "\x00",
    "\ufeff",
    "😀",
    " ",
    "\\",
    "`",
    "*",
]
_PIECES = st.sampled_from([*_BLOCKS, *_HTML, *_PAIRS, *_ODD])
_MIXED = st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=40).map("".join)
_ENDINGS = st.sampled_from(["a.md", "a.txt", "a.unknown"])


def _parsed(data: bytes, source: str) -> Document:
    try:
        return parse(data, source)
    except ParseError as refused:
        sentence = str(refused)
    assert sentence.startswith("a."), sentence
    assert "\n" not in sentence
    reject()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(_MIXED, _ENDINGS)
def test_laws_on_fragments(text: str, source: str) -> None:
    """Fragments of every construct in any order make a document that keeps the laws, or a sentence."""
    check(_parsed(text.encode("utf-8", "surrogatepass"), source))


@settings(max_examples=60, deadline=None)
@given(markdown(), plain_text())
def test_laws_on_documents(marked: str, plain: str) -> None:
    """Documents as people write them keep the laws in both formats."""
    assume(marked.strip() and plain.strip())
    check(_parsed(marked.encode(), "a.md"))
    check(_parsed(plain.encode(), "a.txt"))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.binary(max_size=300), _ENDINGS)
def test_laws_on_bytes(data: bytes, source: str) -> None:
    """Any bytes give a document that keeps the laws, or a ParseError: nothing else comes out of `parse`."""
    check(_parsed(data, source))


@settings(max_examples=100, deadline=None)
@given(
    _MIXED,
    st.sampled_from(["gb18030", "utf-16", "utf-16-le", "utf-32-be", "big5", "latin-1", "idna", "hex", "no such"]),
)
def test_laws_on_chosen_encodings(text: str, encoding: str) -> None:
    """Whatever encoding the user names, a document or a sentence comes back."""
    try:
        document = parse(text.encode("utf-8", "replace"), "a.md", encoding=encoding)
    except ParseError:
        return
    check(document)


@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(_MIXED)
def test_markdown_is_kept_letter_by_letter(text: str) -> None:
    """The canonical text is the source: only a byte order mark and NUL are changed."""
    document = _parsed(text.encode("utf-8", "replace"), "a.md")
    assume(document.encoding == "utf-8")
    assert document.text == text.encode("utf-8", "replace").decode().removeprefix("\ufeff").replace("\x00", "\ufffd")


@settings(deadline=None)
@given(st.text())
def test_names_are_safe(name: str) -> None:
    """No name leads out of the workspace, and none is empty or too long."""
    source = clean_source(name)
    assert 0 < len(source) <= 300
    assert not source.startswith("/")
    assert "\\" not in source
    assert all(part.strip(". ") for part in source.split("/"))
    assert clean_source(source) == source
    doc_id = make_doc_id(source)
    assert 0 < len(doc_id) <= 100
    assert all(letter.isalnum() or letter in "_-" for letter in doc_id)
    assert make_doc_id(source, {doc_id}) != doc_id


def test_documents_can_be_pickled() -> None:
    """A guarded worker process sends them."""
    document = parse(b"---\ntitle: x\n---\n# A\n\n|a|\n|-|\n|b|\n\nQ: x?\nA: y\n", "a.md")
    assert pickle.loads(pickle.dumps(document)) == document
