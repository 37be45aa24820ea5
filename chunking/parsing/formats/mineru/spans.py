"""The runs of text inside an item of MinerU's second form: plain words, inline formulas, code, links."""

from __future__ import annotations

from collections.abc import Iterator

from chunking.parsing.builder.line_joining import joint
from chunking.parsing.safe_input.safe_json import as_mapping, as_text

__all__ = ["captions_of", "text_of"]

_MARKS = {"equation_inline": "$", "inline_equation": "$", "code_inline": "`"}
"""What stands on both sides of a run, as in MinerU's own Markdown."""
_DEEPEST = 16


def text_of(spans: object) -> str:
    """The text of a list of runs, of one run, or of a plain string.

    >>> text_of([{"type": "text", "content": "where  "}, {"type": "equation_inline", "content": "x"}, {"content": " is"}])
    'where  $x$ is'
    """
    return "".join(text for _, text in _runs(spans, _DEEPEST))


def captions_of(spans: object) -> tuple[str, ...]:
    """The texts of captions: those of one item follow each other without a mark, each starting with a run of words."""
    whole, kind = "", ""
    for its, text in _runs(spans, _DEEPEST):
        between = joint(whole, text) if its == kind == "text" else ""
        whole, kind = whole + between + text, its
    return (whole,) if whole.strip() else ()


def _runs(value: object, depth: int) -> Iterator[tuple[str, str]]:
    """Each run's type and text."""
    if isinstance(value, list):
        for one in value if depth else ():
            yield from _runs(one, depth - 1)
    elif isinstance(value, dict):
        span = as_mapping(value)
        kind, content = as_text(span.get("type")), span.get("content")
        if isinstance(content, (list, dict)):
            yield from _runs(content, depth - 1) if depth else ()
        elif text := as_text(content):
            mark = _MARKS.get(kind, "")
            yield kind, f"{mark}{text.strip()}{mark}" if mark and text.strip() else text
        else:
            yield from _runs(span.get("children"), depth - 1) if depth else ()
    elif text := as_text(value):
        yield "text", text
