"""Content lists that lie: wrong types, no types, numbers without end, depth without end. A sentence or a document,
never more.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from typing import Any
from zipfile import ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.errors import ParseError, TooLargeError
from chunking.parsing import parse
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.mineru.content_lists import KINDS
from chunking.parsing.formats.mineru.reader import read_mineru
from tests.parsing.safe_input.archive_files import zipped
from tests.support.facts import tells
from tests.support.laws_documents import check

relaxed = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], max_examples=60
)

WORDS = (
    "a",
    "1 Aims",
    "第一章",
    "（一）甲。",
    "- x",
    "",
    " ",
    "\ud800",
    "\x00",
    "| a |\n|---|",
    "<table><tr><td rowspan=9 colspan=9>x",
    "1.\n2. b",
)
odd = (
    st.sampled_from(WORDS)
    | st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.just(10**400)
    | st.just([[[]]])
)
values = st.recursive(
    odd,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(("type", "content", "path")), inner),
    max_leaves=6,
)
boxes = st.lists(
    st.sampled_from((0, 100, 500, 900, 1000, -5, 1e308, float("nan"), None, "1", True)), min_size=3, max_size=5
)
names = st.sampled_from((*KINDS, "unheard_of"))
flat_items = st.fixed_dictionaries(
    {"page_idx": st.sampled_from((0, 1, 2, -1, 10**12, None, "0", 1.5, 2.0))},
    optional={
        "type": names | odd,
        "text": values,
        "text_level": st.sampled_from((1, 2, 9, -3, "1", None, 10**30)),
        "bbox": boxes | odd,
        **dict.fromkeys(
            ("list_items", "table_body", "img_path", "image_caption", "table_caption", "code_body", "content"), values
        ),
    },
)


def paged_item(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """An item of the second form whose content may be anything."""
    keys = (
        f"{name}_content",
        "content",
        "level",
        "list_items",
        "html",
        "math_content",
        "image_source",
        f"{name}_caption",
        "code_language",
    )
    content = st.dictionaries(st.sampled_from(keys), values, max_size=5) | values
    return st.fixed_dictionaries({"type": st.just(name), "content": content}, optional={"bbox": boxes | odd})


paged_items = names.flatmap(paged_item)


def encoded(value: Any) -> bytes:
    """As a forger would write it: NaN and lone surrogates included."""
    return json.dumps(value).encode("utf-8", "surrogatepass")


@relaxed
@given(st.lists(flat_items | values, max_size=12))
def test_any_flat_list(items: list[Any]) -> None:
    """After ten good items anything may follow: a document that obeys the laws, and can be sent as UTF-8."""
    good = [{"type": "text", "text": f"Sentence {n} is good.", "page_idx": 0} for n in range(30)]
    document = parse(encoded(good + items), "x_content_list.json")
    check(document)
    assert all(f"Sentence {n} is good." in document.text for n in range(30))
    json.dumps(asdict(document), ensure_ascii=False, default=str).encode("utf-8")


@relaxed
@given(st.lists(st.lists(paged_items | values, max_size=5) | values, max_size=4))
def test_any_paged_list(pages: list[Any]) -> None:
    """The same of the second form."""
    good = [
        [{"type": "paragraph", "content": {"paragraph_content": [{"type": "text", "content": f"Page {n} is good."}]}}]
        for n in range(20)
    ]
    document = parse(encoded(good + pages), "x_content_list_v2.json")
    check(document)
    assert all(f"Page {n} is good." in document.text for n in range(20))
    json.dumps(asdict(document), ensure_ascii=False, default=str).encode("utf-8")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"{}", "not a content list"),
        (b"[]", "not a content list"),
        (b"3", "not a content list"),
        (b"[1, 2, 3]", "not a content list"),
        (b'[{"page_idx": 0, "text": "a"}', "is damaged JSON"),
        (b'[{"page_idx": 0 "text": "a"}]', "is damaged JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "too deep"),
        (b'{"a":' * 100_000, "too deep"),
        (b"PK\x03\x04 and no archive", "damaged"),
        (b"", "damaged JSON"),
    ],
)
def test_an_invalid_content_list_is_one_sentence(data: bytes, sentence: str) -> None:
    """What is no content list gives one sentence with its name."""
    with pytest.raises(ParseError, match=sentence) as caught:
        read_mineru(RawFile(data, "x.json"))
    assert str(caught.value).startswith("x.json ")
    assert str(caught.value).count("\n") == 0


def test_depth_inside_items() -> None:
    """Runs of text inside one another are read to a depth, and no further; nothing breaks."""
    deep: Any = {"type": "text", "content": "deep"}
    for _ in range(60):
        deep = [{"type": "text", "content": [deep]}]
    value = [[{"type": "paragraph", "content": {"paragraph_content": ["shallow ", deep]}}]]
    assert parse(encoded(value), "x.json").text == "shallow"


def test_what_is_skipped_is_counted() -> None:
    """A sentence for each kind of fault."""
    good = [{"type": "text", "text": "Good.", "page_idx": 0}] * 9
    reading = read_mineru(
        RawFile(
            encoded([*good, 1, "x", None, {"type": "unheard_of", "page_idx": 0}, {"type": "text", "text": "Lost."}]),
            "x.json",
        )
    )
    assert tells(reading.warnings, "3 items form", "1 item words", "1 item page")


def test_boxes_in_pixels_are_no_places() -> None:
    """Without the size of the page they say nothing; the pages are still known. Shares and thousandths are read, a
    forged box is not.
    """
    items = [
        {"type": "text", "text": f"Line {n}.", "page_idx": 0, "bbox": [100, 100 + n, 2000, 120 + n]} for n in range(20)
    ]
    reading = read_mineru(RawFile(encoded(items), "x.json"))
    assert {place.bbox for place in reading.locations} == {None}
    assert tells(reading.warnings, "boxes thousandths")
    items = [{**item, "bbox": [0.1, 0.1, 0.5, 0.2]} for item in items]
    assert {place.bbox for place in read_mineru(RawFile(encoded(items), "x.json")).locations} == {(0.1, 0.1, 0.5, 0.2)}
    items = [{**item, "bbox": [100, 100, 500, 200]} for item in items]
    items[3]["bbox"] = [0, 0, 1e300, 5]
    boxes = [place.bbox for place in read_mineru(RawFile(encoded(items), "x.json")).locations]
    assert (boxes[3], set(boxes) - {None}) == (None, {(0.1, 0.1, 0.5, 0.2)})


def test_a_table_without_end() -> None:
    """A few bytes that unfold to millions of cells are refused."""
    wide = "<table>" + "<tr>" + "<td colspan=1000>x" * 900 + "<tr><td>y" * 20_000 + "</table>"
    with pytest.raises(TooLargeError, match="a table of"):
        read_mineru(RawFile(encoded([{"type": "table", "table_body": wide, "page_idx": 0}]), "x.json"))


def test_many_fragments_take_time_in_proportion() -> None:
    """Work a fragment does not grow with the document: the layout is asked a fixed number of times a fragment."""
    from chunking.parsing.formats.mineru.mineru_paragraphs import FragmentLayout

    counts = []
    step = FragmentLayout.step
    for size in (200, 2000):
        calls = 0

        def counted(self: FragmentLayout, one: Any, two: Any) -> Any:
            nonlocal calls
            calls += 1
            return step(self, one, two)

        FragmentLayout.step = counted  # type: ignore[method-assign]
        try:
            items = [
                {
                    "type": "text",
                    "text": f"甲乙丙丁{n}。",
                    "page_idx": n // 20,
                    "bbox": [100, 100 + n % 20 * 30, 900, 120 + n % 20 * 30],
                }
                for n in range(size)
            ]
            read_mineru(RawFile(encoded(items), "x.json"))
        finally:
            FragmentLayout.step = step  # type: ignore[method-assign]
        counts.append(calls / size)
    assert counts[1] <= counts[0] * 1.2


def test_archives_that_lie() -> None:
    """A bomb, names that lead out, a link, an image elsewhere: a sentence, or a document without it."""
    good = json.dumps([{"type": "text", "text": "Close the valve.", "page_idx": 0}]).encode()
    name = "out/manual_content_list.json"
    image = json.dumps(
        [{"type": "image", "img_path": "../../../../etc/passwd", "image_caption": ["A valve."], "page_idx": 0}]
    ).encode()
    assert parse(zipped({name: image}), "a.zip").text.strip() == "A valve."
    with pytest.raises(TooLargeError):
        parse(zipped({name: good, "out/images/a.bin": bytes(160 << 20)}), "a.zip")
    for forged in ("../manual_content_list.json", "/etc/manual_content_list.json", "a/../../manual_content_list.json"):
        with pytest.raises(ParseError):
            parse(zipped({forged: good}), "a.zip")
    link = ZipInfo(name)
    link.external_attr = 0o120777 << 16
    sink = io.BytesIO()
    with ZipFile(sink, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ParseError):
        parse(sink.getvalue(), "a.zip")
