"""Speed and equality of vectors, against sentence-transformers' own `encode`.

python -m benchmarks.embedding

The same chunk-like texts, the same model, the same process. The rounds alternate and the best of each counts, so that
other work on the machine does not decide. The last rows compare all engines, precisions and packaged models: in one
thread, by the time of the processor, which other work changes little.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.report import Row, Table
from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingConfig, Precision
from chunking.embedding import CachedEmbedder, LocalEmbedder
from chunking.embedding.base import Unshared, Vectors
from chunking.embedding.local.engine_table import ENGINES, has_bf16
from chunking.embedding.local.transformer import Transformer
from chunking.embedding.model_folder import find_model

ROOT = Path(__file__).parent.parent
CORPORA = (ROOT / "sample_data", ROOT.parent / "shared" / "benchmarks" / "chroma" / "corpora")
"""Sources of text; the second has more, and is used if it is next to the project."""
TEXTS, ROUNDS = 240, 3
ENGINE_TEXTS = 24
ENGLISH = "all-MiniLM-L6-v2"
LEAST_COSINE = 0.999


@dataclass(frozen=True, slots=True)
class Measured:
    """Best round of one way to embed."""

    seconds: float
    vectors: Vectors


def run() -> Table:
    """Embed the same texts both ways and compare time and vectors."""
    texts = chunk_like_texts(TEXTS)
    folder = find_model(ENGLISH_MODEL)
    chosen = LocalEmbedder(folder)
    exact = LocalEmbedder(folder, EmbeddingConfig(precision=Precision.FP32))
    chosen.prepare()  # before the reference, which then runs with the same threads
    encode = reference_encoder(folder.path)
    ways: dict[str, Callable[[Sequence[str]], Vectors]] = {"theirs": encode, "chosen": chosen.embed}
    if chosen.precision != exact.precision:
        ways["fp32"] = exact.embed
    best = measure(ways, texts)
    needed = 6.0 if has_bf16() else 4.0
    rows = [
        speed_row(f"`auto` ({chosen.precision})", best["chosen"], best["theirs"], needed),
        cosine_row(best["chosen"], best["theirs"]),
    ]
    if "fp32" in best:
        rows.append(speed_row("`fp32`", best["fp32"], best["theirs"], None))
    rows.append(second_run_row(chosen, texts))
    rows += engine_rows()
    notes = [
        f"{len(texts)} chunk-like texts; {chosen.precision_note}",
        f"Rows with an engine's name: {ENGINE_TEXTS} of the texts, one thread, seconds of the processor, the best of "
        f"{ROUNDS} rounds in turn; cosines to torch in fp32.",
        "How much bf16 gains is a matter of the processor: the first version of this program gave 2.7 × on one "
        "machine, and gives 1.9 × on the machine of this table, with the same libraries.",
    ]
    return Table("Embedding against sentence-transformers", rows, notes)


def engine_rows() -> list[Row]:
    """Compare both packaged models on all engines in each precision, in one thread, by processor time."""
    import torch

    torch.set_num_threads(1)
    texts = chunk_like_texts(TEXTS)[:ENGINE_TEXTS]
    small = find_model(ENGLISH)
    ways = {"SentenceTransformer.encode": reference_encoder(small.path)}
    with one_thread():
        for model in (ENGLISH, MULTILINGUAL_MODEL):
            for engine in ENGINES.values():
                transformer = engine.open(find_model(model))
                for precision in (Precision.FP32, Precision.BF16, *([Precision.INT8] if engine.computes_int8 else [])):
                    ways[f"{model}, {engine.name}, {precision}"] = encoder(transformer, precision)
        best = measure(ways, texts, clock=time.process_time)
    reference = best.pop("SentenceTransformer.encode")
    exact = {model: best[f"{model}, torch, fp32"] for model in (ENGLISH, MULTILINGUAL_MODEL)}
    return [engine_row(name, one, reference, exact[name.partition(",")[0]]) for name, one in best.items()]


def encoder(transformer: Transformer, precision: Precision) -> Callable[[Sequence[str]], Vectors]:
    return lambda texts: transformer.encode(transformer.tokenize(texts)[0], precision=precision, batch_tokens=512)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let engines that are compiled meanwhile run in one thread."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        os.environ.pop("OMP_NUM_THREADS")
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before


def engine_row(name: str, ours: Measured, theirs: Measured, exact: Measured) -> Row:
    cosines = (ours.vectors * exact.vectors).sum(axis=1)
    agreement = f"cosine {np.median(cosines):.5f}, least {cosines.min():.5f}"
    return Row(
        what=name,
        ours=f"{ours.seconds:.2f} s",
        against=f"`SentenceTransformer.encode` of {ENGLISH}, {theirs.seconds:.2f} s",
        result=f"{theirs.seconds / ours.seconds:.2f} × as fast; {agreement}",
    )


def chunk_like_texts(count: int) -> list[str]:
    """Return distinct pieces of real documents: whole lines and sentences of up to 1,000 characters."""
    chance = random.Random(5)
    files = [file for folder in CORPORA if folder.is_dir() for file in sorted(folder.rglob("*.md"))]
    by_file = [list(dict.fromkeys(pieces(file.read_text(encoding="utf-8")[:200_000], chance))) for file in files]
    texts = [text for group in by_file for text in chance.sample(group, min(len(group), -(-count // len(by_file))))]
    chance.shuffle(texts)
    return texts[:count]


def pieces(text: str, chance: random.Random) -> Iterator[str]:
    """Split text at sentence or line ends into pieces of about 900 characters, shorter at section ends."""
    start = 0
    while start < len(text):
        end = min(start + chance.choice((200, 500, 800, 900, 900, 900)), len(text))
        cut = max(text.rfind(mark, start + 40, end) for mark in (". ", "\n", "。"))
        end = cut + 1 if cut > 0 and end < len(text) else end
        if text[start:end].strip():
            yield text[start:end].strip()
        start = end


def reference_encoder(path: Path) -> Callable[[Sequence[str]], Vectors]:
    """Return sentence-transformers' `encode` with its default batches and precision."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(path), device="cpu", local_files_only=True)
    return lambda texts: np.asarray(model.encode(list(texts), normalize_embeddings=True))


def measure(
    ways: dict[str, Callable[[Sequence[str]], Vectors]],
    texts: Sequence[str],
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Measured]:
    """Return the best round of each way, after a warm-up on a few texts."""
    best: dict[str, Measured] = {}
    for embed in ways.values():
        embed(texts[:16])
    for _ in range(ROUNDS):
        for name, embed in ways.items():
            began = clock()
            vectors = embed(texts)
            seconds = clock() - began
            if name not in best or seconds < best[name].seconds:
                best[name] = Measured(seconds, vectors)
    return best


def speed_row(name: str, ours: Measured, theirs: Measured, needed: float | None) -> Row:
    ratio = theirs.seconds / ours.seconds
    return Row(
        what=f"embedding, precision {name}",
        ours=f"{ours.seconds:.2f} s",
        against=f"`SentenceTransformer.encode`, {theirs.seconds:.2f} s",
        result=f"{ratio:.1f} × as fast",
        target=f"≥ {needed} ×" if needed else "",
        met=ratio >= needed if needed else None,
    )


def cosine_row(ours: Measured, theirs: Measured) -> Row:
    cosines = (ours.vectors * theirs.vectors).sum(axis=1)
    return Row(
        what="cosine to its fp32 vectors",
        ours=f"mean {cosines.mean():.5f}",
        against="the same texts",
        result=f"least {cosines.min():.5f}",
        target=f"≥ {LEAST_COSINE}",
        met=bool(cosines.min() >= LEAST_COSINE),
    )


def second_run_row(embedder: LocalEmbedder, texts: Sequence[str]) -> Row:
    """Count the texts that reach the model when embedded a second time."""
    cached = CachedEmbedder(embedder, _Remembered())
    cached.embed(texts)
    before = cached.texts_encoded
    cached.embed(texts)
    again = cached.texts_encoded - before
    return Row(
        "texts embedded by an unchanged second run", str(again), f"{len(texts)} texts", str(again), "0", again == 0
    )


class _Remembered(Unshared):
    """Cache in memory: LanceDB's is measured with the index."""

    def __init__(self) -> None:
        self.rows: dict[str, Vectors] = {}

    def get(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def put(self, rows: Mapping[str, Vectors]) -> None:
        self.rows.update(rows)


if __name__ == "__main__":
    print(run().markdown())
