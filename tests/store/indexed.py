"""Two hand-made documents, and how they are put into an index."""

from __future__ import annotations

from chunking.config import Config
from chunking.store import Index, Workspace
from tests.support import store_rows as made

INSTALL = made.document(
    "install",
    "Run the installer as administrator.",
    "The quick brown fox jumps.",
    "Configure the database.",
    source="guide/install.md",
)


MANUAL = made.document(
    "手册",
    "安装数据库之前，请先备份。",
    "重启服务器以应用配置。",
    language="zh",
    category="manual",
    source="guide2/手册.md",
)


def fill(workspace: Workspace, *documents: made.Document, name: str = "main") -> Index:
    """Save documents and put their chunks into an index."""
    with workspace.writer():
        workspace.put_documents(documents)
        index = workspace.publish(workspace.create_index(name, Config(), model_key="fake@1", dimension=made.DIMENSION))
        for document in documents:
            rows = made.chunks(document)
            index.replace_document(document, rows, made.vectors(rows), f"fingerprint of {document.hash}")
    return index
