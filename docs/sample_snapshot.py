"""Snapshot of the samples as a ready workspace: `make samples` writes sample_data/snapshot.npz.

The app fills a new workspace from it, so that documents, a default index and the input of live recall are there at
once, with nothing parsed or embedded.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from chunking import Config, Workspace, add_files, build_index
from chunking.config import EmbeddingConfig, Precision
from chunking.embedding import LateEncoder, LocalEmbedder, load_embedder
from chunking.indexing import WorkspaceSnapshot
from chunking.retrieval.query.query_parts import understand

SAMPLES = Path(__file__).parent.parent / "sample_data"
PATH = SAMPLES / "snapshot.npz"


def make(folder: Path, embedder: LocalEmbedder) -> WorkspaceSnapshot:
    """Parse, index and encode the samples in a new workspace.

    Args:
        folder: for the workspace.
        embedder: of the default model.
    """
    config = Config()
    workspace = Workspace.open(folder)
    add_files(workspace, [SAMPLES])
    name = build_index(workspace, config, embedder=embedder).name
    encoder = LateEncoder(embedder, config.embedding.late_window, workspace.encodings, workspace.vectors)
    lines = (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return WorkspaceSnapshot.of(
        workspace, workspace.index(name), encoder, [understand(json.loads(line)["question"]).text for line in lines]
    )


def main() -> None:
    """Write the snapshot, computed in fp32 on every processor."""
    embedder = load_embedder(EmbeddingConfig(precision=Precision.FP32))
    assert isinstance(embedder, LocalEmbedder)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = make(Path(folder), embedder)
    snapshot.write(PATH)
    print(
        f"{len(snapshot.documents)} documents, {len(snapshot.passages.digests)} passages, {PATH.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    main()
