"""Cards that export an index, questions or documents: purpose, contents, size and download."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import BinaryIO, cast

import streamlit as st

from chunking.config.choices import EmbeddingMode
from chunking.config.pattern_settings import heading_patterns, split_patterns
from chunking.display import bytes_text
from chunking.export import EXPORTS, Export, ExportNeeds, Material, PageContent, find_export
from chunking.model import CHUNK
from components.index.built_levels import level_word
from components.kit.wording import plain, quantity
from components.session.document_caches import clear_when_unused
from components.session.file_memory import BoundedFile, too_large
from components.session.workspace import workspace

__all__ = [
    "card",
    "configuration_card",
    "document_export_cards",
    "file_bytes",
    "index_export_cards",
    "input_key",
    "question_export_cards",
    "travel_list",
]

_CODE_HEIGHT = 260
_TEXTS = {PageContent.CONTENT: "Span", PageContent.EMBEDDED: "Embedded text"}

LANGCHAIN = """import json
from langchain_core.documents import Document

with open("langchain_documents.jsonl", encoding="utf-8") as file:
    documents = [Document(**json.loads(line)) for line in file]
"""
LLAMA_INDEX = """from llama_index.core.schema import TextNode

with open("llama_index_nodes.jsonl", encoding="utf-8") as file:
    nodes = [TextNode.from_json(line) for line in file]
"""
_LINES = """import json

with open("chunks.jsonl", encoding="utf-8") as file:
    chunks = [json.loads(line) for line in file]
"""
ELEMENTS = """import zipfile
from unstructured.staging.base import elements_from_json

with zipfile.ZipFile("elements.zip") as pack:
    documents = {name: elements_from_json(text=pack.read(name).decode()) for name in pack.namelist()}
"""
READING = {
    "chunks-jsonl": _LINES,
    "chunks-parquet": 'import pandas as pd\n\nchunks = pd.read_parquet("chunks.parquet")\n',
    "chunks-csv": 'import pandas as pd\n\nchunks = pd.read_csv("chunks.csv")\n',
}

_DOCUMENTS = {
    "edits": "edit of the parse",
    "pins": "pin",
    "encodings": "file encoding",
    "parsers": "choice of a parser",
}
_PLURALS = {"edits": "edits of the parse", "parsers": "choices of a parser"}
_FILES = ("edits", "pins")
"""Parts that are also exports of their own, for `--edits` and `--pins` and for other workspaces."""

_COMMAND = "chunkscope export"

SAMPLE = 2_000
"""Most chunks counted exactly; beyond that, the size is extrapolated from them."""


def index_export_cards(material: Material) -> None:
    """Draw the cards that export an index: chunks, script, LangChain, LlamaIndex."""
    for pair in ((_chunks, _scripts), (_langchain, _llama_index)):
        for column, draw in zip(st.columns(2), pair, strict=True):
            with column:
                draw(material)


def document_export_cards(material: Material) -> None:
    """Draw the card that exports the documents as elements of unstructured; needs no index."""
    good_for = (
        "Every document as a list of elements with types, titles, pages, boxes and tables: for a pipeline built "
        "on unstructured."
    )
    with card("elements", "Elements of unstructured", "data_object", good_for):
        _reading(ELEMENTS)
        download(material, find_export("elements"))


def _formats(thing: str) -> Export:
    rows = {row.format: row for row in EXPORTS if row.thing == thing}
    chosen = st.segmented_control(
        "Format", list(rows), default=next(iter(rows)), required=True, key=f"export.format.{thing}"
    )
    return rows[chosen or next(iter(rows))]


def _chunks(material: Material) -> None:
    with card(
        "chunks",
        "Chunks",
        "segment",
        "For a vector store, a notebook or a spreadsheet: each chunk with its span, titles and ids.",
    ):
        row = _formats("Chunks")
        levels = _levels(material, row)
        vectors = row.name == "chunks-parquet" and st.toggle(
            "With vectors",
            key="export.vectors",
            help="A float32 column: users of the file need no model for the chunks.",
        )
        if row.name == "chunks-csv":
            st.caption(
                "Text that a spreadsheet would run as a formula gets an apostrophe in front; the other "
                "formats are exact."
            )
        _reading(READING[row.name])
        download(replace(material, levels=levels, vectors=vectors), row)


def _levels(material: Material, row: Export) -> tuple[str, ...] | None:
    """Draw the choice of levels if there are several; None: the format's default."""
    there = material.levels_in_order()
    if len(there) < 2:
        return None
    usual = list(there) if row.every_level else [CHUNK]
    chosen = st.pills(
        "Levels",
        there,
        selection_mode="multi",
        default=usual,
        format_func=lambda level: f"{level_word(level)} {material.required_index.levels[level]:,}".capitalize(),
        key=f"export.levels.{row.name}.{material.required_index.name}",
        help="Larger granularities, parents and summaries are exported with the chunks; ids connect them.",
    )
    return tuple(level for level in there if level in chosen) or None


def _langchain(material: Material) -> None:
    with card(
        "langchain",
        "LangChain Documents",
        "link",
        "For a LangChain vector store or chain: page_content with flat metadata.",
    ):
        text = st.segmented_control(
            "Text",
            list(_TEXTS),
            default=PageContent.CONTENT,
            required=True,
            format_func=_TEXTS.__getitem__,
            key="export.langchain.text",
            help=(
                "The text that LangChain embeds and passes on. The embedded text, cleaned and with its title "
                "path, is easier to find, but is no longer a span of the document."
            ),
        )
        _reading(LANGCHAIN, _straight(material, "as_langchain", "documents"))
        download(replace(material, text=PageContent(text or PageContent.CONTENT)), find_export("langchain"))


def _llama_index(material: Material) -> None:
    good_for = "For a LlamaIndex index: text nodes with spans, neighbours and the prefix that is embedded with them."
    with card("llama-index", "LlamaIndex nodes", "hub", good_for):
        _reading(LLAMA_INDEX, _straight(material, "as_llama_index", "nodes"))
        download(material, find_export("llama-index"))


def _straight(material: Material, function: str, name: str) -> str:
    """Return code that reads the chunks from the workspace, without a file."""
    index = json.dumps(material.required_index.name, ensure_ascii=not material.required_index.name.isprintable())
    return (
        f"# or straight from the workspace\nfrom chunking import Workspace\nfrom chunking.export import {function}\n\n"
        f'{name} = {function}(Workspace.open("workspace").index({index}).by_level("chunk"))\n'
    )


def _scripts(material: Material) -> None:
    with card(
        "scripts",
        "Python script",
        "code",
        "Rebuilds this index and searches it: in a pipeline, on another machine, in a year.",
    ):
        row = _formats("Code")
        if row.name == "plain-script":
            said = (
                "Uses only sentence-transformers and LanceDB; reads chunks.jsonl with all its levels. What it does not "
                "reproduce is listed at its top."
            )
            late = material.required_index.config.embedding.mode is EmbeddingMode.LATE
            st.caption(f"{said} That includes late chunking." if late else said)
        _long_code(file_bytes(material, row).decode(), "python")
        download(material, row)


def configuration_card(material: Material) -> None:
    """Draw the card that exports the settings."""
    row = find_export("config")
    with card(
        "config",
        "Configuration",
        "tune",
        "Every setting of this index, for --config of the command line or Config.from_file.",
    ):
        _long_code(file_bytes(material, row).decode(), "yaml")
        download(material, row)


def _long_code(code: str, language: str) -> None:
    """Draw a file's text, folded, at a fixed height; Streamlit's code box cannot be scrolled by keyboard."""
    with st.expander("Show the file"), st.container(height=_CODE_HEIGHT, border=False):
        st.code(code, language=language, wrap_lines=True)


def _reading(*codes: str) -> None:
    """Draw the code that reads an exported file, folded."""
    with st.expander("How to read it"):
        for code in codes:
            st.code(code, language="python", wrap_lines=True)


def question_export_cards(material: Material) -> None:
    """Draw the card that exports the questions with the results of their runs."""
    rows = {row.format: row for row in EXPORTS if row.thing == "Questions"}
    good_for = (
        "For another tool, a manual review, or the next run: gold answers with their spans, and the results of "
        "each run."
    )
    with card("questions", "Questions with results", "quiz", good_for):
        chosen = st.segmented_control(
            "Format", list(rows), default=next(iter(rows)), required=True, key="export.format.Questions"
        )
        with_runs = f", {quantity(len(material.runs), 'run')}" if material.runs else "; there is no run on them yet"
        questions = material.required_questions
        st.markdown(f"{quantity(len(questions), 'question')} of {plain(questions.name)}{with_runs}.")
        download(material, rows[chosen or next(iter(rows))])


def travel_list(material: Material) -> None:
    """Draw what script and configuration contain, a warning if out of date, and edits and pins.

    Edits and pins can be downloaded if there are any.
    """
    st.caption(f"The script and the configuration contain {', '.join(_parts(material))}.")
    if material.stale:
        st.caption(
            f"⚠ {plain(material.stale)} Until then they produce the chunks of the documents as they are now, "
            f"not those of this index."
        )
    there = [name for name in _FILES if name in material.inputs.counts]
    if there:
        with st.container(horizontal=True, gap="medium", key="export.by-hand"):
            for name in there:
                download(material, find_export(name))


def _parts(material: Material) -> list[str]:
    config = material.required_index.config
    changed = [key for key in config.changed() if not key.startswith("category.")]
    texts = [config.chunk.headings_from, config.chunk.split_before]
    own = [dict(changes) for _, changes in config.categories]
    patterns = sum(map(_patterns, [{"headings_from": texts[0], "split_before": texts[1]}, *own]))
    differ = "differs" if len(changed) == 1 else "differ"
    parts = [
        f"{quantity(len(changed), 'setting')} that {differ} from the defaults" if changed else "the default settings"
    ]
    parts += [quantity(patterns, "pattern")] if patterns else []
    parts += [f"the settings of {quantity(len(own), 'category', 'categories')}"] if own else []
    return parts + [
        quantity(number, _DOCUMENTS[name], _PLURALS.get(name, "")) for name, number in material.inputs.counts.items()
    ]


def _patterns(settings: Mapping[str, str]) -> int:
    return len(heading_patterns(settings.get("headings_from") or "")) + len(
        split_patterns(settings.get("split_before") or "")
    )


@contextmanager
def card(key: str, title: str, icon: str, good_for: str) -> Iterator[None]:
    """Draw a bordered card with title and purpose; what the `with` block draws is inside.

    Args:
        icon: name of a Material symbol.
    """
    with st.container(border=True, key=f"export.card.{key}", height="stretch"):
        st.markdown(f"## :material/{icon}: {title}")
        st.caption(good_for)
        yield


def download(material: Material, row: Export, *, primary: bool = False) -> None:
    """Draw the download button with name and size, disabled if the file would be too large.

    The file is made when the button is pressed.
    """
    why = too_large(size_of(material, row), _COMMAND)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            f"Download {row.file}",
            lambda: file_bytes(material, row),
            row.file,
            row.mime,
            on_click="ignore",
            icon=":material/download:",
            type="primary" if primary else "secondary",
            key=f"export.download.{row.name}",
            disabled=bool(why),
            help=why or None,
        )
        st.caption(size_text(material, row), width="content")


def file_bytes(material: Material, row: Export) -> bytes:
    """Return the exported file, built in memory, as Streamlit requires.

    The command line writes large files to the disk instead.

    Raises:
        QuotaError: the file is larger than the server allows.
    """
    sink = BoundedFile(_COMMAND)
    row.write(material, sink)
    return sink.getvalue()


class _Counter:
    """A sink that counts the bytes written."""

    closed = False

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        return len(data)

    def tell(self) -> int:
        return self.bytes

    def flush(self) -> None:
        """Do nothing; nothing is buffered."""

    def close(self) -> None:
        """Do nothing; nothing is open."""


def size_text(material: Material, row: Export) -> str:
    """Return a size such as `about 2.4 MB`; for exports of documents, how many there are."""
    if row.needs is ExportNeeds.DOCUMENTS:
        return quantity(len(material.documents), "document")
    size, estimated = _size(input_key(material, row), material, row)
    return f"about {bytes_text(size)}" if estimated else bytes_text(size)


def size_of(material: Material, row: Export) -> float:
    """Return the approximate size in bytes; for exports of documents, their characters."""
    if row.needs is ExportNeeds.DOCUMENTS:
        return float(sum(one.characters for one in material.documents))
    return _size(input_key(material, row), material, row)[0]


def input_key(material: Material, row: Export) -> tuple[object, ...]:
    """Return all that decides the bytes of an export."""
    return (
        *(
            workspace().uri,
            workspace().version(),
            workspace().changes.version,
            row.name,
            material.index.name if material.index else "",
        ),
        *(material.levels, str(material.text), material.vectors, material.only),
        *(tuple(run.key for run in material.runs), material.questions.fingerprint if material.questions else ""),
    )


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=128, hash_funcs={Material: lambda one: "", Export: lambda one: one.name})
def _size(key: tuple[object, ...], material: Material, row: Export) -> tuple[float, bool]:
    """Return (bytes, True if extrapolated from the first chunks)."""
    counter = _Counter()
    rows = material.chunk_count(every=row.every_level) if row.every_level is not None else 0
    row.write(replace(material, most=SAMPLE) if rows > SAMPLE else material, cast(BinaryIO, counter))
    return (counter.bytes * rows / SAMPLE, True) if rows > SAMPLE else (float(counter.bytes), False)
