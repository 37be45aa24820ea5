"""Memory after a demo visit, embedding speed and cost of both models, in the full and in the light installation.

make light, once; then: python -m benchmarks.installations
python -m benchmarks.installations models             only the table of time, memory and disk of both packaged models

The same visit to both, in Chromium, over the samples: another size on Chunks, an index built with it, a search, and the
sample questions measured. Memory after the visit is what is resident in the server and in what it has started; in the
most that they had together, a page that several processes share counts once.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from benchmarks.embedding import chunk_like_texts, measure
from benchmarks.report import Row, Table
from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, Precision
from chunking.embedding.base import Vectors
from chunking.embedding.local.openvino_engine import OpenVinoTransformer
from chunking.embedding.local.torch_engine import TorchTransformer
from chunking.embedding.local.transformer import Transformer
from chunking.embedding.model_folder import find_model
from tests.browser.app import LONG, chromium, new_tab, settled, wait_for, widget

ROOT = Path(__file__).parent.parent
LIGHT = ROOT / ".venv-light" / "bin" / "python"
MOST_MEGABYTES, MOST_SHARE, LEAST_COSINE = 700, 0.5, 0.9999
TEXTS = 160
SETTINGS = "size=280&overlap=0"
MODELS = ("all-MiniLM-L6-v2", MULTILINGUAL_MODEL)
MOST_GROWTH, MOST_START = 150, 1.0
"""Megabytes of memory and seconds of start that the multilingual model may take more than the other one."""
_FOOTPRINT = """
import json, re, sys, time
from pathlib import Path

def megabytes(kind):
    return int(re.findall(rf"(?m)^{kind}: +(\\d+)", Path("/proc/self/smaps_rollup").read_text())[0]) / 1024

from chunking.config import EmbeddingConfig
from chunking.embedding import load_embedder

texts, began, before = json.load(sys.stdin), time.perf_counter(), megabytes("Pss")
model = load_embedder(EmbeddingConfig(model=sys.argv[1]))
model.embed(["How long may the pump run dry?"], role="query")
start = time.perf_counter() - began
model.embed(texts[:8])
began = time.perf_counter()
model.embed(texts[8:])
seconds = time.perf_counter() - began
files = [path for path in model.folder.path.rglob("*") if path.is_file()]
disk = sum(path.stat().st_size for path in files) / 1e6
print(json.dumps([start, seconds, megabytes("Pss") - before, disk]))
"""
"""Program that embeds texts with one model, and prints seconds to its first vector, seconds, megabytes, megabytes."""


@dataclass(slots=True)
class Server:
    """Running app, with its memory in megabytes."""

    address: str
    pid: int
    after: float = 0.0
    """Memory after the visit."""
    most: float = 0.0
    """Peak memory, including the workers."""


def run() -> Table:
    """Visit both installations, then embed with both engines in one process."""
    if not LIGHT.exists():
        raise SystemExit("There is no light installation in .venv-light: run make light first.")
    with chromium() as browser:
        full, light = (visited(new_tab(browser, alone=True), python) for python in (Path(sys.executable), LIGHT))
    share = light.after / full.after
    rows = [
        Row(
            "memory of the light server after a demo visit",
            f"{light.after:.0f} MB",
            f"full installation, {full.after:.0f} MB",
            f"{share:.2f} ×",
            f"≤ {MOST_SHARE} ×",
            share <= MOST_SHARE,
        ),
        Row(
            "the same",
            f"{light.after:.0f} MB",
            "",
            f"{light.after:.0f} MB",
            f"< {MOST_MEGABYTES} MB",
            light.after < MOST_MEGABYTES,
        ),
        Row(
            "most that server and workers had at once",
            f"{light.most:.0f} MB",
            f"full installation, {full.most:.0f} MB",
            f"{light.most / full.most:.2f} ×",
        ),
        *engine_rows(),
    ]
    return Table(
        "The light installation", rows, [f"The samples, {SETTINGS.replace('&', ', ')}; {TEXTS} chunk-like texts."]
    )


def visited(tab: Page, python: Path) -> Server:
    """Visit a server and return its memory."""
    with tempfile.TemporaryDirectory() as folder, serving(python, Path(folder) / "workspace") as server:
        tab.goto(f"{server.address}/?{SETTINGS}")
        tab.locator(".view[data-rev]").first.wait_for()
        settled(tab)
        tab.goto(f"{server.address}/index?{SETTINGS}")
        tab.get_by_role("button", name="Build the index").click()
        expect(tab.get_by_text(re.compile(r"Done: \d+ chunks"))).to_be_visible(timeout=LONG)
        tab.goto(f"{server.address}/search?q=who+may+open+the+sealed+cabinet+at+night")
        tab.locator(".card").first.wait_for()
        settled(tab)
        tab.goto(f"{server.address}/evaluate?{SETTINGS}")
        tab.get_by_role("button", name=re.compile(r"Evaluate these settings on \d+ questions")).click()
        expect(widget(tab, "evaluate-cards")).to_contain_text(re.compile("Recall"), timeout=LONG)
        settled(tab)
        server.after = megabytes(server.pid, "Rss")
    tab.context.close()
    return server


@contextmanager
def serving(python: Path, workspace: Path) -> Iterator[Server]:
    """Run an installation's server and watch its memory."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        str(python),
        "-m",
        "streamlit",
        "run",
        "serve.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    environment = {**os.environ, "CHUNKSCOPE_WORKSPACE": str(workspace)}
    over = threading.Event()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        server = Server(f"http://127.0.0.1:{port}", process.pid)

        def watch() -> None:
            while not over.wait(0.5):
                server.most = max(server.most, megabytes(process.pid, "Pss"))

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            wait_for(f"{server.address}/_stcore/health")
            yield server
        finally:
            over.set()
            watching.join()
            process.terminate()


def megabytes(server: int, kind: str) -> float:
    """Return the memory of a process tree: resident (`Rss`), or with a share of shared pages (`Pss`)."""
    return sum(_megabytes(process, kind) for process in (server, *_children(server)))


def _megabytes(process: int, kind: str) -> float:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # it has ended meanwhile
    return int(re.findall(rf"(?m)^{kind}: +(\d+)", text)[0]) / 1024


def _children(process: int) -> list[int]:
    try:
        own = [
            int(pid) for file in Path(f"/proc/{process}/task").glob("*/children") for pid in file.read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [one for child in own for one in (child, *_children(child))]


def engine_rows() -> list[Row]:
    """Compare OpenVINO and torch in fp32 on the same texts: best of several alternating rounds."""
    folder, texts = find_model(ENGLISH_MODEL), chunk_like_texts(TEXTS)
    light, full = OpenVinoTransformer(folder), TorchTransformer(folder)

    def by(model: Transformer, precision: Precision) -> Callable[[Sequence[str]], Vectors]:
        return lambda some: model.encode(model.tokenize(some)[0], precision=precision, batch_tokens=512)

    best = measure(
        {"torch": by(full, Precision.FP32), "fp32": by(light, Precision.FP32), "bf16": by(light, Precision.BF16)}, texts
    )
    rows = []
    for name in ("fp32", "bf16"):
        ratio = best["torch"].seconds / best[name].seconds
        cosine = float((best[name].vectors * best["torch"].vectors).sum(axis=1).min())
        against = f"torch, fp32: {best['torch'].seconds:.2f} s"
        rows.append(
            Row(
                f"embedding by OpenVINO, {name}",
                f"{best[name].seconds:.2f} s",
                against,
                f"{ratio:.1f} × as fast",
                "> 1 ×",
                ratio > 1,
            )
        )
        rows.append(
            Row(
                "its least cosine to them",
                f"{cosine:.6f}",
                "the same texts",
                f"{cosine:.6f}",
                f"≥ {LEAST_COSINE}",
                cosine >= LEAST_COSINE,
            )
        )
    return rows


# -- both models


@dataclass(frozen=True, slots=True)
class Footprint:
    """Cost of a model in an installation."""

    start: float
    """Seconds from naming it to its first vector."""
    seconds: float
    """Seconds for the texts."""
    memory: float
    """Megabytes that the process has grown by."""
    disk: float
    """Megabytes of its folder."""


def footprint(python: Path, model: str, texts: Sequence[str], cache: str, *, rounds: int = 3) -> Footprint:
    """Embed texts in a process of their own, the best of some rounds; what is unpacked goes into `cache`."""
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    command, given = [str(python), "-c", _FOOTPRINT, model], json.dumps(texts)
    measured = [
        json.loads(subprocess.check_output(command, cwd=ROOT, env=environment, input=given, text=True))
        for _ in range(rounds)
    ]
    return Footprint(*(min(column) for column in zip(*measured, strict=True)))


def models_table() -> str:
    """Return time, memory and disk of both packaged models in both installations, as Markdown."""
    texts = chunk_like_texts(TEXTS)
    lines = ["| installation | model | first start | start | passages a second | memory | disk |", "|---|" + "---|" * 6]
    for name, python in (("full", Path(sys.executable)), ("light", LIGHT)):
        with tempfile.TemporaryDirectory() as cache:
            own = {}
            for model in MODELS:
                first = footprint(python, model, ["one"] * 9, cache, rounds=1).start
                own[model] = one = footprint(python, model, texts, cache)
                rate = (len(texts) - 8) / one.seconds
                lines.append(
                    f"| {name} | `{model}` | {first:.1f} s | {one.start:.1f} s | {rate:.0f} | {one.memory:.0f} MB "
                    f"| {one.disk:.0f} MB |"
                )
        english, multilingual = own.values()
        growth, later = multilingual.memory - english.memory, multilingual.start - english.start
        met = growth < MOST_GROWTH and later < MOST_START
        lines.append(f"| {name} | difference | | {later:+.1f} s | | {growth:+.0f} MB | {'✓' if met else '✗'} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(models_table() if "models" in sys.argv[1:] else run().markdown())
