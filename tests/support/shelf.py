"""Shelf of three documents, split and stored in a real LanceDB without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from chunking.config import ENGLISH_MODEL, Config
from chunking.embedding import Embedder
from chunking.embedding.base import Unshared
from chunking.enrichment import Enricher, cluster_texts, tree_nodes
from chunking.enrichment.raptor import build_tree
from chunking.model import PARENT, Chunk, Document
from chunking.parsing import parse
from chunking.retrieval.context.context_tokens import counter
from chunking.splitting import split_document
from chunking.store import Index, Workspace
from chunking.store.index.build_record import BuildReport

HANDBOOK = """# Handbook

Welcome to the handbook of the archive.

## Backups

Backups run every night at two. A full copy is kept for thirty days, then deleted.

To restore a backup, stop the service, copy the archive back, and start the service again.

The restored data is checked against its checksums before anybody may log in.

### Schedule

Change the hour of the nightly run in the file `backup.toml`. The setting is called `hour`.

## Users

Accounts are made by an administrator. Nobody can register alone.

A forgotten password is reset by mail. The link in the mail works for one hour.
"""


COPY = """# Quick start

A page for those who come new to the archive and want to begin at once, without reading the whole handbook first.

To restore a backup, stop the service, copy the archive back, and start the service again.

## First steps

Log in with the account that your administrator made for you.
"""


MANUAL = """# 净水器说明书

## 滤芯更换

更换滤芯前请先关闭进水阀并断开电源。滤芯每六个月更换一次。

更换后请冲洗五分钟再饮用。

## 保修

整机保修期限为两年，从购买之日起计算。保修期内请保留发票。

人为损坏不在保修范围之内。
"""


SHELF = {"guide/handbook.md": HANDBOOK, "guide/quick_start.md": COPY, "manuals/manual.md": MANUAL}


SMALL = Config.from_settings({"size": "32", "min_size": "0", "granularities": "none", "embedding.model": ENGLISH_MODEL})


def fill(
    workspace: Workspace,
    files: Mapping[str, str],
    embedder: Embedder,
    config: Config = SMALL,
    name: str = "main",
    code_version: str = "",
) -> None:
    """Parse, split, embed and index files, with parents, larger chunks and summaries if configured.

    The index is out of date unless `code_version` is that of now.
    """
    documents = [parse(text.encode(), source) for source, text in files.items()]
    with workspace.writer():
        workspace.put_documents(documents)
        index = workspace.create_index(
            name, config, model_key=embedder.key, dimension=embedder.dimension, code_version=code_version
        )
        for document in documents:
            levels = split_document(document, config)
            rows = [*levels, *writer(config, embedder).enrich(document, levels).nodes]
            index.replace_document(document, rows, row_vectors(rows, embedder), f"of {document.hash}")
        if config.enrich.raptor:
            nodes = clusters(index, config, embedder)
            index.replace_tree(nodes, row_vectors(nodes, embedder))
        index.optimize()
        languages = tuple(sorted({document.language for document in documents}))
        built = BuildReport(levels=index.count_levels(), languages=languages)
        workspace.publish(index, replace(index.row, state="complete", built=built))


def row_vectors(rows: Sequence[Chunk], embedder: Embedder) -> np.ndarray:
    """Return a vector per row; zeros for parents, which are only returned."""
    vectors = embedder.embed([chunk.embedding_content for chunk in rows])
    vectors[[chunk.level == PARENT for chunk in rows]] = 0.0
    return vectors


def writer(config: Config, embedder: Embedder) -> Enricher:
    """Return an enricher with rule-based summaries and no cache."""

    class Nothing(Unshared):
        def get(self, keys: Sequence[str]) -> dict[str, str]:
            return {}

        def put(self, rows: Mapping[str, str], model: str) -> None:
            """Store nothing."""

    def vectors(document: Document, starts: Sequence[int], ends: Sequence[int]) -> np.ndarray:
        return embedder.embed([document.text[start:end] for start, end in zip(starts, ends, strict=True)])

    return Enricher(config, texts=Nothing(), vectors=vectors, count=counter(config.embedding).count)


def clusters(index: Index, config: Config, embedder: Embedder) -> list[Chunk]:
    """Return the cluster tree over an index's chunks."""
    count = counter(config.embedding).count
    ids, _, vectors = index.vectors_of()
    chunks = index.chunks_by_id(ids)
    tree = build_tree(
        ids,
        cluster_texts(chunks[name] for name in ids),
        vectors,
        embed=embedder.embed,
        summarise=writer(config, embedder).cluster_summaries(embedder.embed),
        count=count,
        config=config.enrich,
    )
    return tree_nodes(tree, count=count)


LEVELS = Config.from_settings(
    {
        **{
            "size": "32",
            "min_size": "0",
            "parent_size": "80",
            "granularities": "2,4",
            "embedding.model": ENGLISH_MODEL,
        },
        **{"enrich.summaries": "true", "enrich.raptor": "true", "enrich.summary_size": "30"},
    }
)
