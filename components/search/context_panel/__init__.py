"""What a language model would receive for a search: passages under their citations, and how much of the budget they
take.
"""

from components.search.context_panel.panel import context_panel
from components.search.context_panel.passages import passages

__all__ = ["context_panel", "passages"]
