"""HTML page in which MCP hosts draw `show_chunks`: the app's viewer."""

from __future__ import annotations

import json
from pathlib import Path

from mcp.server.apps import Apps

__all__ = ["DRAWING", "FRAME_URI", "chunk_frames"]

FRAME_URI = "ui://chunkscope/chunks.html"
DRAWING = "chunkscope/drawing"
"""Key in an answer's `_meta`, which hosts pass to the page and not to the model."""

_HERE = Path(__file__).parent


def chunk_frames() -> Apps:
    """Return the MCP extension that offers the page with a document's chunks as a resource."""
    apps = Apps()
    apps.add_html_resource(FRAME_URI, _page(), title="Chunks of a document", prefers_border=True)
    return apps


def _page() -> str:
    """Return the self-contained page."""
    from chunking.viewing.scripts import component_scripts, shared_script, styles

    script = _read("frame.js")
    marks = {
        "/*SCRIPTS*/": f"{shared_script()}\n{component_scripts()}",
        "/*STYLES*/ {}": json.dumps(styles()),
        '/*DRAWING*/ ""': json.dumps(DRAWING),
    }
    for mark, text in marks.items():
        script = script.replace(mark, text)
    script = script.replace("</script", "<\\/script")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Chunks of a document</title>'
        f"<style>{_read('frame.css')}</style></head>\n"
        f'<body><header id="head"><p>Waiting for the chunks …</p></header><main id="viewer" '
        f'hidden></main><div id="unseen" hidden></div>'
        f'<script type="module">{script}</script></body></html>\n'
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
