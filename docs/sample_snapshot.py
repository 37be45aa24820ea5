"""Snapshot of the samples as a ready workspace: `make samples` writes sample_data/snapshot.npz.

The app fills a new workspace from it, so that documents, the indexes of the baseline and of the default settings, their
runs on the sample questions and the input of live recall are there at once, with nothing parsed, embedded or evaluated.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from chunking import Config, Workspace, add_files, build_index
from chunking.config import EmbeddingConfig, Precision
from chunking.embedding import LateEncoder, LocalEmbedder, load_embedder
from chunking.evaluation import EvaluationOptions, QuestionPart, Trials, evaluate, load_set
from chunking.indexing import WorkspaceSnapshot
from chunking.retrieval.query.query_parts import understand
from chunking.samples import SAMPLE_SET, SAMPLES, sample_indexes, save_questions

PATH = SAMPLES / "snapshot.npz"


def make(folder: Path, embedder: LocalEmbedder) -> WorkspaceSnapshot:
    """Parse, index, evaluate and encode the samples in a new workspace.

    Args:
        folder: for the workspace.
        embedder: of the default model.
    """
    workspace = Workspace.open(folder)
    documents, _ = add_files(workspace, [SAMPLES])
    configs = sample_indexes()
    for name, config in configs.items():
        build_index(workspace, config, name=name, embedder=embedder)
    encoder = LateEncoder(embedder, Config().embedding.late_window, workspace.encodings, workspace.vectors)
    lines = (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [understand(json.loads(line)["question"]).text for line in lines]
    save_questions(workspace, documents)
    with Trials(workspace, embedder=embedder) as trials:
        for part in (None, QuestionPart.TUNE):  # the newest are those that settings are chosen by
            for config in configs.values():
                options = EvaluationOptions(part=part)
                evaluate(workspace, load_set(workspace, SAMPLE_SET).questions, config, options, trials=trials)
    indexes = [workspace.index(name) for name in configs]
    return WorkspaceSnapshot.of(workspace, indexes, encoder, texts, workspace.runs.all())


def main() -> None:
    """Write the snapshot, computed in fp32 on every processor."""
    embedder = load_embedder(EmbeddingConfig(precision=Precision.FP32))
    assert isinstance(embedder, LocalEmbedder)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = make(Path(folder), embedder)
    snapshot.write(PATH)
    print(
        f"{len(snapshot.documents)} documents, {len(snapshot.indexes)} indexes, {len(snapshot.runs)} runs, "
        f"{len(snapshot.passages.digests)} passages, {PATH.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    main()
