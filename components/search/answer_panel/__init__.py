"""The Answer tab: a language model's answer from the context, each sentence with its citations, opened in their
documents.
"""

from components.search.answer_panel.panel import answer_panel

__all__ = ["answer_panel"]
