"""Recall and IoU against the size, and against the overlap, under their sliders: estimated in the background, a click
sets the value.
"""

from components.chunks.recall_curve.panel import recall_curve

__all__ = ["recall_curve"]
