"""Browser component that shows a document's pages with blocks, chunks or hits on them.

Selections are synchronised with the text. The position of lines is sent once per document (`deliver_pages`), and a
picture once per page and width.
"""

from __future__ import annotations

import base64
from bisect import bisect_right
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunking.errors import ChunkscopeError, ParseError
from chunking.model import Box, Document, Location
from chunking.parsing import FORMATS
from chunking.store import Workspace
from chunking.text.byte_caches import MB, byte_cache
from chunking.viewing.messages.packing import pack_columns, steps
from components.kit.browser import component
from components.kit.viewer import text_key
from components.kit.wording import page_word
from components.session.document_caches import clear_when_unused
from components.session.page.page_frame import fragment, sentences

if TYPE_CHECKING:
    from chunking.parsing import PageImage

__all__ = ["deliver_pages", "has_places", "page_of", "page_view", "picture_of"]

WIDTHS = (1000, 2000)
"""Widths of pictures in pixels: a column, and enlarged or high-resolution; also in view.js."""

_deliver = component("papers")
_page_view = component("page_view")

Ints = NDArray[np.int32]

_SHARE = 10_000
"""Boxes are sent in ten-thousandths of the page: 0.1 pixel of 1,000."""
_NOWHERE = (-1.0 / _SHARE,) * 4
"""Box of a line without a position."""


class Picture(Protocol):
    """Rendered page: width and height in pixels, MIME type and bytes of the image."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def mime(self) -> str: ...
    @property
    def data(self) -> bytes: ...


Draw = Callable[[int, int], Picture]
"""Renders (page from 1, width in pixels); raises ChunkscopeError with the sentence to show instead."""


def deliver_pages(document: Document, *, key: str = "document_pages") -> None:
    """Send the position of a document's lines on its pages to the browser; draws nothing.

    Call it like `deliver_text`: in each run of a page with a `page_view`, outside the view's fragment.
    """
    _deliver(key=key, data=_paper_message(document))


def _paper_message(document: Document) -> dict[str, Any]:
    _, (lines, n) = _packed(document)
    return {
        "doc": text_key(document.text),
        "count": document.page_count,
        "noun": page_word(document.format),
        "lines": lines,
        "n": n,
        "out": [[span.start, span.end, span.reason] for span in document.left_out],
    }


# By identity: what is kept holds its document, so that no other one gets its id meanwhile. What a document says of
# itself, such as its
# hash, would tell less: in a workspace that came as a file, anything may stand there.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=8, hash_funcs={Document: id})
def _packed(document: Document) -> tuple[Document, tuple[str, int]]:
    """Return the packed lines of a document; cached, since a document may have 50,000 of them."""
    return document, lines_message(document.locations)


@fragment()
def page_view(
    document: Document,
    draw: Draw | None,
    *,
    file: str = "",
    key: str = "pages",
    height: int = 640,
    at: int | None = None,
    on_region: Callable[[int, Box], None] | None = None,
) -> None:
    """Draw a page of the document with the bands of the text's `viewer`; picks are synchronised.

    It is a fragment: turning a page reruns nothing else.

    Args:
        document: document of the `viewer`, of `deliver_text` and of `deliver_pages`.
        draw: renders pages; None draws boxes on white paper.
        file: hash of the rendered file.
        key: key of the component.
        height: height in pixels; less on a narrow screen.
        at: offset whose page is shown first, unless the browser already shows another.
        on_region: called with the page and the rectangle that the user has drawn on it, before all of the page runs
            again; without it, the view offers no drawing.
    """
    with sentences():
        doc = text_key(document.text)
        first = page_of(document, at or 0) or 1
        want: tuple[str, int, int] | None = st.session_state.get(f"{key}.want")
        page, width = (
            want[1:] if want and want[0] == doc + file and want[1] <= document.page_count else (first, WIDTHS[0])
        )
        picture, fault = _drawn(draw, page, width)

        def remember(said: Any) -> None:
            st.session_state[f"{key}.want"] = _requested_page(said, doc, file)

        def drawn(said: Any) -> None:
            region = _region(said, doc, document.page_count)
            if on_region and region:
                on_region(*region)
                st.session_state[f"{key}.drawn"] = True

        data = {
            "doc": doc,
            "file": file,
            "first": first,
            "height": height,
            "drawn": draw is not None,
            "picture": picture,
            "fault": fault,
        }
        _page_view(key=key, data=data | {"regions": on_region is not None}, on={"want": remember, "region": drawn})
        if st.session_state.pop(f"{key}.drawn", False):
            st.rerun()


def _region(said: Any, doc: str, pages: int) -> tuple[int, Box] | None:
    """Parse a rectangle sent by the browser as (page, box); None if invalid."""
    if not isinstance(said, dict) or said.get("doc") != doc:
        return None
    page, box = said.get("page"), said.get("box")
    if not (isinstance(page, int) and 1 <= page <= pages and isinstance(box, list) and len(box) == 4):
        return None
    if not all(isinstance(one, (int, float)) and 0 <= one <= 1 for one in box) or box[0] >= box[2] or box[1] >= box[3]:
        return None
    left, top, right, bottom = map(float, box)
    return page, (left, top, right, bottom)


def _requested_page(said: Any, doc: str, file: str) -> tuple[str, int, int] | None:
    """Parse a page request of the browser as (document and file key, page, width); None if invalid."""
    if not isinstance(said, dict) or said.get("doc") != doc:
        return None
    page, width = said.get("page"), said.get("width")
    if not isinstance(page, int) or page < 1 or width not in WIDTHS:
        return None
    return doc + file, page, width


def _drawn(draw: Draw | None, page: int, width: int) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return the picture of a page as a message, or the reason why there is none."""
    if draw is None:
        return None, None
    try:
        return _picture_message(draw(page, width), page, width), None
    except ChunkscopeError as error:
        return None, {"page": page, "words": str(error)}


def _picture_message(picture: Picture, page: int, width: int) -> dict[str, Any]:
    facts = {"width": picture.width, "height": picture.height, "mime": picture.mime, "data": _text_of(picture.data)}
    return facts | {"page": page, "asked": width}


@byte_cache(most=64 * MB)
def _text_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def picture_of(target: Workspace, format_name: str, file: str) -> Draw | None:
    """Return a function that renders pages of a file; None if pages of its format cannot be drawn.

    The function raises ParseError if the workspace does not have the file.

    Args:
        format_name: format of the document.
        file: hash of the file in the workspace.
    """
    if not any(row.drawn for row in FORMATS if row.name == format_name):
        return None
    return lambda page, width: _rendered(target, target.uri, file, page, width)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=48)
def _rendered(_target: Workspace, address: str, file: str, page: int, width: int) -> PageImage:
    """Render a page; errors are not cached, since a page that ran out of memory may succeed later."""
    data = _target.file(file)
    if data is None:
        sentence = (
            "The file of this document is not in the workspace. To see its pages, add it on the Documents page; "
            "add an attachment as a file of its own."
        )
        raise ParseError(sentence, where=file)
    from chunking.parsing import render_page

    return render_page(data, page, width=width)


def has_places(document: Document) -> bool:
    """True if the position of a line on a page is known; False for slides and sheets."""
    return page_word(document.format) == "page" and any(location.bbox is not None for location in document.locations)


def page_of(document: Document, offset: int) -> int | None:
    """Return the page of the first text at or after `offset`, else of the last text.

    None if the document has no pages.
    """
    if not document.locations:
        return None
    place = bisect_right(document.locations, offset, key=attrgetter("end"))
    return document.locations[min(place, len(document.locations) - 1)].page


def lines_message(locations: Iterable[Location]) -> tuple[str, int]:
    """Pack the positions of all lines for papers.js; return (text, number of lines)."""
    lines = list(locations)
    starts, ends = _ints([line.start for line in lines]), _ints([line.end for line in lines])
    boxes = np.array([line.bbox or _NOWHERE for line in lines], dtype=np.float64).reshape(-1, 4)
    left, top, right, bottom = np.rint(boxes * _SHARE).astype(np.int32).T
    gaps = starts - np.concatenate([[0], ends[:-1]]) if lines else starts
    columns = (gaps, ends - starts, steps(_ints([line.page for line in lines])), left, top, right - left, bottom - top)
    return pack_columns(columns, {}), len(lines)


def _ints(values: list[Any]) -> Ints:
    return np.array(values, dtype=np.int32)
