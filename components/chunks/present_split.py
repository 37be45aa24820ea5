"""A document split with the settings in force, as the page Chunks shows it."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.config import Config
from chunking.model import Document, Pin
from chunking.splitting import Boundaries, DocumentView, Split
from components.chunks.levels_preview import brackets
from components.kit.viewer import Groups
from components.server.turns import in_turn
from components.session.measured_documents import chunker

__all__ = ["PresentSplit"]


@dataclass(frozen=True, slots=True)
class PresentSplit:
    """A document with the present settings."""

    result: Split
    config: Config
    """Of all documents."""
    own: Config
    """Those of the document's category."""
    groups: Groups | None
    """The brackets beside its chunks."""

    @property
    def view(self) -> DocumentView:
        """The document with the sections that patterns give it, and its pins."""
        return self.result.view

    @property
    def boundaries(self) -> Boundaries:
        """Of its chunks."""
        return self.result.boundaries

    @classmethod
    def of(cls, document: Document, config: Config, pins: tuple[Pin, ...]) -> PresentSplit:
        """Split it.

        Args:
            pins: the document's as they are now, saved or not.
        Raises:
            ModelError: the model that counts its tokens is not at hand.
            QuotaError: it is long, and other long ones are being split.
        """
        own = config.for_category(document.category)
        with in_turn(
            len(document.text)
        ):  # also where it may be split already: only one setting of a document is kept for all tabs
            result = chunker(document, config.embedding).with_pins(pins).split(own.chunk)
            return cls(result, config, own, brackets(result))
