"""Index rows of sections, documents and clusters, with a summary in place of content."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from chunking.enrichment.raptor import TreeNode, node_id
from chunking.enrichment.summaries import GeneratedText
from chunking.model import CLUSTER, DOCUMENT, SECTION, BlockType, Chunk, Document, Flag
from chunking.splitting.chunks.chunk_building import text_hash
from chunking.splitting.rendering.prefixes import JOINT, SEPARATOR

__all__ = ["document_nodes", "tree_nodes"]

_OF_A_CHUNK = frozenset({"section_path", "chunk_type", "chunk_index", "total_chunks", "related_chunk_ids"})
"""Metadata of chunks that nodes do not inherit."""


def document_nodes(
    document: Document,
    chunks: Sequence[Chunk],
    sections: Mapping[str, GeneratedText],
    document_summary: GeneratedText,
    count: Callable[[str], int],
) -> list[Chunk]:
    """Return a `section` node per section, then a `document` node; none without chunks.

    Args:
        sections: summaries by section id.
    """
    if not chunks:
        return []
    own: defaultdict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        own[chunk.section_id].append(chunk)
    subsections: defaultdict[str | None, list[str]] = defaultdict(list)
    for section in document.sections:
        subsections[section.parent_id].append(section.section_id)
    shared = {key: value for key, value in chunks[0].metadata.items() if key not in _OF_A_CHUNK}
    top, total = f"{document.doc_id}_doc", len(document.sections)
    ids = [section.section_id for section in document.sections]
    nodes = [
        _node(
            section.section_id,
            SECTION,
            sections[section.section_id],
            count,
            doc_id=document.doc_id,
            section_id=section.section_id,
            parent_id=section.parent_id or top,
            title_path=section.title_path,
            place=(number, total),
            siblings=(ids[number - 1] if number else None, ids[number + 1] if number + 1 < total else None),
            children=(*(chunk.chunk_id for chunk in own[section.section_id]), *subsections[section.section_id]),
            span=(section.start, section.end),
            pages=_pages(document, section.start, section.end),
            metadata=shared | {"section_path": section.title_path},
        )
        for number, section in enumerate(document.sections)
    ]
    loose = tuple(chunk.chunk_id for chunk in chunks) if not ids else ()
    last = _node(
        top,
        DOCUMENT,
        document_summary,
        count,
        doc_id=document.doc_id,
        title_path=(document.title,),
        children=loose or tuple(subsections[None]),
        span=(0, len(document.text)),
        pages=_pages(document, 0, len(document.text)),
        metadata=shared | {"section_path": ()},
    )
    return [*nodes, last]


def tree_nodes(
    tree: Iterable[TreeNode],
    *,
    count: Callable[[str], int],
    by_llm: bool = False,
    by_rule: Container[str] = (),
    languages: Mapping[str, str] | None = None,
) -> list[Chunk]:
    """Return the nodes of a RAPTOR tree as chunks of level `cluster`, in the order of the tree.

    `parent_id` is the first parent if a node has several; `metadata["tree_level"]` counts from 1 over the chunks.

    Args:
        by_llm: True if a language model wrote the summaries.
        by_rule: summaries that were made by rule all the same (`Enricher.clusters_by_rule`).
        languages: of the chunks, by id; a node has that of most of its children.
    """
    tree = list(tree)
    parents: dict[str, str] = {}
    for node in tree:
        for child in node.children:
            parents.setdefault(child, node.node_id)
    tags = dict(languages or {})
    for node in tree:  # children come first
        counts = Counter(tags[child] for child in node.children if child in tags)
        tags[node.node_id] = max(counts, key=counts.__getitem__, default="")
    nodes = []
    for level, of_level in groupby(tree, key=lambda node: node.level):
        some = list(of_level)
        for node in some:
            nodes.append(
                _node(
                    node.node_id,
                    CLUSTER,
                    GeneratedText(node.summary, by_llm and node.summary not in by_rule),
                    count,
                    parent_id=parents.get(node.node_id, ""),
                    place=(node.number, len(some)),
                    siblings=(
                        node_id(level, node.number - 1) if node.number else None,
                        node_id(level, node.number + 1) if node.number + 1 < len(some) else None,
                    ),
                    children=node.children,
                    metadata={"tree_level": level} | ({"language": tag} if (tag := tags.get(node.node_id)) else {}),
                )
            )
    return nodes


def _node(
    id: str,
    level: str,
    written: GeneratedText,
    count: Callable[[str], int],
    *,
    doc_id: str = "",
    section_id: str = "",
    parent_id: str = "",
    title_path: tuple[str, ...] = (),
    place: tuple[int, int] = (0, 1),
    siblings: tuple[str | None, str | None] = (None, None),
    children: tuple[str, ...] = (),
    span: tuple[int, int] = (0, 0),
    pages: tuple[int, ...] = (),
    metadata: Mapping[str, Any],
) -> Chunk:
    prefix = JOINT.join(filter(None, title_path))
    text = SEPARATOR.join(filter(None, (prefix, written.text)))
    return Chunk(
        chunk_id=id,
        doc_id=doc_id,
        section_id=section_id,
        parent_id=parent_id,
        chunk_index=place[0],
        total_chunks=place[1],
        prev_id=siblings[0],
        next_id=siblings[1],
        title_path=title_path,
        content_type=BlockType.PARAGRAPH.value,
        prefix=prefix,
        content="",
        embedding_content=text,
        token_count=count(text),
        start=span[0],
        end=span[1],
        hash=text_hash(written.text),
        pages=pages,
        flags=(Flag.GENERATED,) if written.by_llm else (),
        metadata={**metadata, "chunk_type": level, "chunk_index": place[0], "total_chunks": place[1]},
        level=level,
        children=children,
        summary=written.text,
    )


def _pages(document: Document, start: int, end: int) -> tuple[int, ...]:
    """Return the pages of a span, in order, each once."""
    return tuple(dict.fromkeys(place.page for place in document.locations_in(start, end)))
