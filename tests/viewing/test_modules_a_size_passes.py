"""The slider's path: a new size passes few modules, from the splitter to the message of the viewer."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import chunking
from chunking.config import Config
from chunking.embedding.model_folder import find_model
from chunking.splitting import Chunker, token_counter
from chunking.viewing.messages import chunk_bands, view_message
from tests.splitting.inline import read

FOLDER = Path(chunking.__file__).parent
MOST = 18
TEXT = "# Pumps\n\nIt moves water.\n\n| Name | Litres |\n|---|---|\n| A | 3 |\n| B | 5 |\n\n## Care\n\nOil it.\n\n"


def draw(chunker: Chunker, size: int) -> None:
    """Split by a size, as the page Chunks does, and make the message of the viewer."""
    boundaries = chunker.split(Config().chunk.model_copy(update={"size": size})).boundaries
    view_message(chunker.document, chunk_bands(chunker.document, boundaries), run=size, looks=None, pins=())


def test_a_size_passes_at_most_eighteen_modules() -> None:
    """A reader who follows a slider's value opens no more files of splitting and viewing than these."""
    folder = find_model(Config().embedding.model)
    chunker = Chunker(read(TEXT * 20, "pumps.md"), token_counter(folder.path), max_tokens=254)
    draw(chunker, 60)
    files: set[str] = set()

    def remember(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    sys.setprofile(remember)
    try:
        draw(chunker, 70)
    finally:
        sys.setprofile(None)
    modules = {path for name in files for path in [Path(name)] if FOLDER in path.parents}
    inside = {path for path in modules if path.relative_to(FOLDER).parts[0] in ("splitting", "viewing")}
    assert 10 < len(inside) <= MOST, sorted(str(path.relative_to(FOLDER)) for path in inside)
