"""Mending what a parser made of a document: a place is chosen in its text, tree or page, a toolbar offers what can be
done with it.
"""

from components.documents.mending.edit_list import edit_list
from components.documents.mending.edit_state import edited_spans, leave_out_region
from components.documents.mending.toolbar import choose_section, choose_text, forget_text, toolbar

__all__ = ["choose_section", "choose_text", "edit_list", "edited_spans", "forget_text", "leave_out_region", "toolbar"]
