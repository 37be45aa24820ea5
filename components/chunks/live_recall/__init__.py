"""What the present settings would find, while they are dragged: recall and IoU of a question set, with no model call."""

from components.chunks.live_recall.panel import recall_hint, recall_panel
from components.chunks.live_recall.state import ChosenSet, chosen_set

__all__ = ["ChosenSet", "chosen_set", "recall_hint", "recall_panel"]
