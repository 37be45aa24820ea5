"""Which element of an OpenDocument text is no text of it, and which may hold a box of text."""

from __future__ import annotations

__all__ = ["BOXES", "CONTENTS", "LEFT_OUT", "SKIPPED"]

CONTENTS = "table of contents"
LEFT_OUT = {
    "text:table-of-content": CONTENTS,
    "text:illustration-index": "list of figures",
    "text:table-index": "list of tables",
    "text:alphabetical-index": "index",
}
"""Elements that are left out, and the reason."""

SKIPPED = frozenset(
    {
        *(
            "text:tracked-changes",
            "text:note-citation",
            "text:ruby-text",
            "text:hidden-text",
            "text:hidden-paragraph",
            "text:script",
        ),
        *("text:variable-decls", "text:sequence-decls", "text:user-field-decls", "text:dde-connection-decls"),
        *("text:bibliography-source", "text:object-index-source", "text:user-index-source"),
        *("office:forms", "office:scripts", "office:event-listeners", "office:binary-data", "office:dde-source"),
        *("table:title", "table:desc", "table:covered-table-cell", "table:table-source"),
        *("svg:title", "svg:desc", "draw:object", "draw:object-ole", "draw:plugin", "draw:applet", ""),
    }
)
"""Elements of which a reader sees nothing: deleted text is in `tracked-changes`."""
BOXES = (
    "text-box",
    "custom-shape",
    "rect",
    "ellipse",
    "circle",
    "line",
    "polyline",
    "polygon",
    "path",
    "connector",
    "caption",
    "measure",
)
"""Of the drawing namespace: what may have text in it."""
