"""The widget that `explore` returns: an `Exploration` as an anywidget with two-way traits.

JupyterLab handles a widget's events in a thread next to the cells, so every change of the exploration holds one lock.
Changes go in one message, the boundaries first; recall, which takes longer, in a second.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from chunking.config import Config
from chunking.display import quantity
from chunking.errors import ChunkscopeError
from chunking.evaluation import LiveScores
from chunking.model import Chunk, Document
from chunking.notebook.exploration import DOCUMENT, SETTINGS, Exploration
from chunking.notebook.front_end import OVERLAPS, STYLE, front_end, saved_page
from chunking.paths import AnyPath
from chunking.viewing.messages.sliders import LONGEST

__all__ = ["Explorer"]

_PART = 1_000_000
"""Characters per message of a packed text: notebook servers pass a megabyte a second."""
_VIEWS = 64
"""Maximum number of views whose events are tracked; the least recent one is forgotten."""


def _as_bytes(values: NDArray[np.int32], _: object) -> bytes:
    return np.ascontiguousarray(values, "<i4").tobytes()


class Explorer(anywidget.AnyWidget):
    """Widget with documents and their chunks, live under sliders; created by `explore`.

    Set a trait to change what is shown; `observe` it to follow the user.
    """

    _esm = front_end()
    _css = STYLE
    _text = traitlets.Dict().tag(sync=True)
    _facts = traitlets.Dict().tag(sync=True)
    _answers = traitlets.Dict().tag(sync=True)
    _view = traitlets.Dict().tag(sync=True)
    _form: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    _strip = traitlets.Dict().tag(sync=True)
    _dial = traitlets.Dict().tag(sync=True)
    _confirmed = traitlets.Dict().tag(sync=True)
    _rests = traitlets.Int(help="Counter of completed user actions: the only value that the browser sets.").tag(
        sync=True
    )

    doc_id = traitlets.Unicode(help="The document that is shown.").tag(sync=True)
    size = traitlets.Int(help="The largest a chunk may be.").tag(sync=True)
    overlap = traitlets.Unicode(help="An amount, or a share of the size: 32, 15%.").tag(sync=True)
    strategy = traitlets.Unicode(help="How a document is split.").tag(sync=True)
    prefix = traitlets.Unicode(help="Prefix of a chunk when it is embedded.").tag(sync=True)
    selected_chunk = traitlets.Int(None, allow_none=True, help="Number of the selected chunk.").tag(sync=True)
    boundaries = traitlets.Instance(np.ndarray, help="(n, 2) int32: start and end of each chunk, in characters.").tag(
        sync=True, to_json=_as_bytes
    )
    config = traitlets.Instance(Config, help="All settings.")

    def __init__(self, exploration: Exploration, *, height: int = 460) -> None:
        """Show an exploration.

        Args:
            height: of the text, in pixels.
        """
        self._exploration, self._height = exploration, height
        self._lock = threading.RLock()
        self._settling = True
        self._heard: OrderedDict[str, int] = OrderedDict()
        self._packed = ("", "")
        self._requests = 0
        first = {name: value for name, value in self._state(full=True).items() if value is not None}
        if (dial := self._estimate()) is not None:
            first["_dial"] = dial
        super().__init__(**first)
        self._settling = False
        self.on_msg(self._hear)

    def __repr__(self) -> str:
        shown = self._exploration
        return f"<Explorer: {shown.document.source}, {quantity(len(shown.bands), 'chunk')}, size {self.size}>"

    @property
    def document(self) -> Document:
        """Current document."""
        return self._exploration.document

    @property
    def chunks(self) -> list[Chunk]:
        """Chunks of the current document, as an index would hold them."""
        with self._lock:
            return self._exploration.chunks

    @property
    def chunk(self) -> Chunk | None:
        """Selected chunk; None if `selected_chunk` is."""
        with self._lock:
            return self._exploration.chunk

    @property
    def scores(self) -> LiveScores | None:
        """Scores of the last settings that could be estimated; None without questions."""
        return self._exploration.scores

    def html(self) -> str:
        """Return the first chunks as static HTML, shown if the widget cannot run."""
        with self._lock:
            return self._exploration.html()

    def save_page(self, path: AnyPath, *, sizes: Sequence[int] = (), overlaps: Sequence[str] = OVERLAPS) -> None:
        """Write the current document as one HTML file whose sliders work without kernel or network.

        Args:
            path: of the file; one that is there is replaced.
            sizes: of which a step is computed; empty for 21 over the whole range.
            overlaps: amounts or shares of the size.
        Raises:
            ConfigError: a size or overlap is out of range, or the two do not go together.
        """
        with self._lock:
            page = saved_page(self._exploration, sizes=sizes, overlaps=overlaps)
        Path(path).write_text(page, encoding="utf-8")

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": repr(self), "text/html": self.html()}, metadata

    # -- from Python

    @traitlets.validate("doc_id", *SETTINGS, "selected_chunk", "config")
    def _move(self, proposal: Mapping[str, Any]) -> Any:
        """Apply a trait set by a cell; if the exploration refuses, the trait keeps its value."""
        name, value = proposal["trait"].name, proposal["value"]
        with self._lock:
            if self._settling:
                return value
            try:
                self._take(name, value)
            except ChunkscopeError:
                self._show()  # traits that were set together with it, too
                raise
            self._show(recall=name not in ("doc_id", "selected_chunk"))
        return value

    def _take(self, name: str, value: Any) -> None:
        shown = self._exploration
        if name == "doc_id":
            shown.open(value)
        elif name == "selected_chunk":
            shown.select(value)
        elif name == "config":
            shown.configure(value)
        else:  # several may be set at once, as by `hold_trait_notifications`
            changes = {key: getattr(self, key) for key in SETTINGS} | {name: value}
            shown.configure(Config.from_settings(changes, shown.config))

    # -- from the browser

    def _hear(self, _: object, said: object, buffers: object) -> None:
        """Apply an event of the browser once; the browser repeats it until it is confirmed."""
        if not isinstance(said, Mapping):
            return
        nonce, number = said.get("nonce"), said.get("number")
        if not (isinstance(nonce, str) and 0 < len(nonce) <= 64 and isinstance(number, int)):
            return
        with self._lock:
            if number <= self._heard.get(nonce, 0):
                self._show_again(said.get("key"))
                return
            recall = self._apply(said.get("key"), said.get("kind"), said.get("value"))
            self._heard[nonce] = number
            self._heard.move_to_end(nonce)
            while len(self._heard) > _VIEWS:
                self._heard.popitem(last=False)
            self._show(recall=recall)

    def _apply(self, key: object, kind: object, value: object) -> bool:
        """Change the exploration; returns True if recall may change. Invalid events are ignored."""
        shown = self._exploration
        raw = value if isinstance(value, Mapping) else {}
        text = str(raw.get("text", ""))
        if key == "viewer" and kind == "pick" and raw.get("doc") == shown.text().doc:
            shown.pick(raw.get("at"))
        elif key == "text" and kind == "part" and raw.get("doc") == shown.text().doc:
            self._give_part(raw.get("part"))
        elif key == DOCUMENT and kind == "value":
            shown.enter(DOCUMENT, text)
        elif key in SETTINGS and kind == "value":
            before = shown.config
            shown.enter(str(key), text[:LONGEST])
            return shown.config != before
        return False

    # -- to the browser

    def _show(self, *, recall: bool = False) -> None:
        """Send the changes, then recall, once the browser has the boundaries."""
        with self._settled(), self.hold_sync():
            for name, value in self._state(full=False).items():
                self.set_trait(name, value)
        if recall and (dial := self._estimate()) is not None:
            with self._settled():
                self._dial = dial

    def _show_again(self, key: object) -> None:
        """Send the state again: a view repeated an event, so it may have missed the answer."""
        names = ["_confirmed", "_facts", "_answers", "_view", "_form", "_strip", "_dial"]
        self.send_state([*names, "_text"] if key in (DOCUMENT, "text") else names)

    @contextmanager
    def _settled(self) -> Iterator[None]:
        """Context in which setting traits does not change the exploration."""
        before, self._settling = self._settling, True
        try:
            yield
        finally:
            self._settling = before

    def _state(self, *, full: bool) -> dict[str, Any]:
        """Return the value of each trait except the dial's.

        Args:
            full: the text in one message: the first one may be of any length.
        """
        shown, text = self._exploration, self._exploration.text()
        chunk = shown.config.chunk
        traits: dict[str, Any] = {
            **shown.messages(self._height),
            "_confirmed": dict(self._heard),
            "doc_id": shown.document.doc_id,
            "size": chunk.size,
            "overlap": chunk.overlap,
            "strategy": str(chunk.strategy.value),
            "prefix": str(chunk.prefix.value),
            "selected_chunk": shown.selected,
            "boundaries": np.stack([shown.bands.starts, shown.bands.ends], axis=1),
            "config": shown.config,
        }
        if self._packed[0] != text.doc:
            self._packed = text.doc, text.text
            traits["_text"] = self._text_part(0, len(text.text) if full else _PART)
        return traits

    def _text_part(self, part: int, length: int) -> dict[str, Any]:
        doc, packed = self._packed
        self._requests += 1
        parts = max(1, -(-len(packed) // length))
        packed = packed[part * length : (part + 1) * length]
        return {"doc": doc, "packed": packed, "part": part, "of": parts, "run": self._requests}

    def _give_part(self, part: object) -> None:
        if isinstance(part, int) and 0 <= part * _PART < len(self._packed[1]):
            self._text = self._text_part(part, _PART)

    def _estimate(self) -> dict[str, Any] | None:
        """Return the dial's message, or why these settings cannot be estimated; None without questions."""
        try:
            return self._exploration.estimate() or None
        except ChunkscopeError as error:
            return {**self._dial, "check": str(error)}
