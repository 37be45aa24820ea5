"""A workspace with a few documents, cut by the real cutter and stored in a real LanceDB; no model is loaded for it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from chunking.config import Config
from chunking.cutting import chunk_document
from chunking.embedding import Embedder
from chunking.parsing import parse
from chunking.store import Workspace
from tests.retrieval.word_embedder import WordEmbedder

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
SMALL = Config.from_settings({"size": "32", "min_size": "0"})


def fill(workspace: Workspace, files: Mapping[str, str], embedder: Embedder, config: Config = SMALL, name: str = "main") -> None:
    """Parse, cut, embed and index files by their sources."""
    documents = [parse(text.encode(), source) for source, text in files.items()]
    with workspace.writer():
        workspace.put_documents(documents)
        index = workspace.create_index(name, config, model_key=embedder.key, dimension=embedder.dimension)
        for document in documents:
            chunks = chunk_document(document, config)
            vectors = embedder.embed([chunk.embedding_content for chunk in chunks])
            index.replace_document(document, chunks, vectors, f"of {document.hash}")
        index.optimize()
        workspace.publish(index)


@pytest.fixture(scope="session")
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, embedder: WordEmbedder) -> Workspace:
    """Three documents in an index of chunks of 32 tokens. Not to be written to."""
    workspace = Workspace.open(tmp_path_factory.mktemp("shelf") / "workspace")
    fill(workspace, SHELF, embedder)
    return workspace
