"""What the present settings would find, while they are dragged: recall and IoU of a question set, with no model call."""

from components.chunks.live_recall.panel import recall_hint, recall_panel
from components.chunks.live_recall.state import Asked, asked

__all__ = ["Asked", "asked", "recall_hint", "recall_panel"]
