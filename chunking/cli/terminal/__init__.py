"""Views that draw a command's records on a terminal of any width, with or without colours.

Records come in as plain data, are made harmless once (`safe_text`), and go through the view of their command
(`views.VIEWS`). Views and commands are independent of each other. Modules are imported
where something is drawn: a command in a pipe loads none of them.
"""

from __future__ import annotations

__all__: tuple[str, ...] = ()
