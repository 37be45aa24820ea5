"""Another way of splitting (B) over the text that the present settings (A) split: chosen, drawn as a second track,
counted.
"""

from components.chunks.compare.choice import choose_other, is_comparing
from components.chunks.compare.other_split import OtherSplit
from components.chunks.compare.panel import Against, comparison_panel

__all__ = ["Against", "OtherSplit", "choose_other", "comparison_panel", "is_comparing"]
