"""The vectors of the sample documents, for the default settings: `make samples` writes them (sample_data/vectors.npz).

The app puts them into the embedding cache of a new workspace, so that the samples' first index needs no model.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from chunking import Config, Workspace, add_files, build_index
from chunking.embedding import LocalEmbedder, Role, VectorSnapshot, load_embedder

SAMPLES = Path(__file__).parent.parent / "sample_data"
PATH = SAMPLES / "vectors.npz"


class _Recorder(LocalEmbedder):
    """Remembers the passages whose vectors are looked up; the cache holds their digests only."""

    def __init__(self, *how: object) -> None:
        super().__init__(*how)  # type: ignore[arg-type]
        self.passages: set[str] = set()

    def cache_key(self, text: str, role: Role = "passage") -> str:
        if role == "passage":
            self.passages.add(text)
        return super().cache_key(text, role)


def main() -> None:
    """Build the index of the samples in fp32, and write what was embedded."""
    config = Config.from_settings({"embedding.precision": "fp32"})
    made = load_embedder(config.embedding)
    assert isinstance(made, LocalEmbedder)
    recorder = _Recorder(made.folder, config.embedding)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(folder)
        add_files(workspace, [SAMPLES])
        build_index(workspace, config, embedder=recorder)
        keys = {recorder.cache_key(text): text for text in list(recorder.passages)}
        vectors = {keys[key]: vector for key, vector in workspace.vectors.get(list(keys)).items()}
    VectorSnapshot.of(vectors, recorder).write(PATH)
    print(f"{len(vectors)} vectors, {PATH.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
