"""Outputs of notebook cells: text, tables, errors, and pictures by description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from chunking.parsing.formats.notebook.notebook_cells import joined_text
from chunking.parsing.safe_input.safe_json import as_mapping, as_text

__all__ = ["MAX_HTML", "MAX_OUTPUT", "Output", "read_outputs"]

MAX_OUTPUT = 100_000
"""Characters of an output: longer logs are cut, since nobody searches them."""
MAX_HTML = 2_000_000
"""Characters of an HTML output, which is mostly markup."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")
_STRUCTURED = re.compile(r"<table[\s>]", re.IGNORECASE)
_OLD_TYPES = {
    "text": "text/plain",
    "html": "text/html",
    "latex": "text/latex",
    "json": "application/json",
    "png": "image/png",
}
"""MIME types of the output keys of nbformat 2 and 3."""
_OLD_TYPES |= {
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "javascript": "application/javascript",
    "pdf": "application/pdf",
}
"""Keys of outputs of nbformat 2 and 3, and the MIME types that they mean."""


class Output(NamedTuple):
    """An output in its most informative form."""

    form: str
    """text, error, html, markdown, latex or image."""
    text: str
    """For an image: its description in the notebook, possibly empty."""
    name: str = ""
    """stdout, stderr, the name of an error, the MIME type of an image."""
    cut: int = 0
    """Characters cut off at its end."""


def read_outputs(outputs: Sequence[Mapping[str, Any]]) -> Iterator[Output]:
    """Outputs of a cell in order; consecutive pieces of a stream form one output."""
    for stream, some in groupby(outputs, key=_stream_name):
        if stream:
            yield from _bounded("text", "".join(joined_text(one.get("text")) for one in some), stream)
            continue
        for output in some:
            if as_text(output.get("output_type")) in ("error", "pyerr"):
                yield from _error(output)
            else:
                yield from _best_form(_bundle(output))


def _stream_name(output: Mapping[str, Any]) -> str:
    """Stream of an output; empty for any other."""
    if as_text(output.get("output_type")) != "stream":
        return ""
    return as_text(output.get("name")) or as_text(output.get("stream")) or "stdout"


def _bounded(form: str, text: str, name: str = "") -> Iterator[Output]:
    """An output without escape codes and overwritten text, such as the steps of a progress bar."""
    excerpt = text[: 2 * MAX_OUTPUT]
    plain = _OVERWRITTEN.sub("", _ESCAPE.sub("", excerpt)) if "\r" in excerpt or "\x1b" in excerpt else excerpt
    if plain.strip():
        yield Output(form, plain[:MAX_OUTPUT], name, max(len(text) - len(excerpt), 0) + max(len(plain) - MAX_OUTPUT, 0))


def _error(output: Mapping[str, Any]) -> Iterator[Output]:
    name, value = as_text(output.get("ename")), as_text(output.get("evalue"))
    lines = output.get("traceback")
    trace = "\n".join(map(as_text, lines)) if isinstance(lines, list) else as_text(lines)
    summary = ": ".join(filter(None, (name, value)))
    plain = _ESCAPE.sub("", trace)
    yield from _bounded("error", plain if summary and summary in plain else f"{plain}\n{summary}", name)


def _bundle(output: Mapping[str, Any]) -> dict[str, Any]:
    """Data by MIME type."""
    if isinstance(data := output.get("data"), dict):
        return data
    return {kind: output[key] for key, kind in _OLD_TYPES.items() if key in output}


def _best_form(data: Mapping[str, Any]) -> Iterator[Output]:
    """The most informative text form of an output."""
    texts = {
        kind: joined_text(data[kind])
        for kind in ("text/html", "text/markdown", "text/latex", "text/plain")
        if kind in data
    }
    html, plain = texts.get("text/html", ""), texts.get("text/plain", "")
    images = [kind for kind in data if kind.startswith("image/")]
    value = next((data[kind] for kind in data if kind.endswith("json") and "vnd." not in kind), None)
    if _STRUCTURED.search(html):
        yield Output("html", html[:MAX_HTML], "text/html", max(len(html) - MAX_HTML, 0))
    elif texts.get("text/markdown", "").strip():
        yield from _bounded("markdown", texts["text/markdown"])
    elif images:
        yield Output("image", plain[:1_000], images[0])
    elif texts.get("text/latex", "").strip():
        yield from _bounded("latex", texts["text/latex"])
    elif plain.strip() and not _says_nothing(plain, html):
        yield from _bounded("text", plain, "result")
    elif html.strip():
        yield Output("html", html[:MAX_HTML], "text/html", max(len(html) - MAX_HTML, 0))
    elif value is not None:
        yield from _bounded("text", json.dumps(as_mapping(value) or value, ensure_ascii=False, indent=1), "result")


def _says_nothing(plain: str, html: str) -> bool:
    """True if the text only names the object shown as HTML: `<IPython.core.display.HTML object>`."""
    return bool(html.strip()) and re.fullmatch(r"\s*<[\w.]+(?: [^<>\n]*)?>\s*", plain) is not None
