"""A button that copies the address of the page: the link to exactly this view with its settings."""

from __future__ import annotations

from components.kit.browser import component

__all__ = ["copy_link"]

_copy = component("copy_link")


def copy_link(*, key: str) -> None:
    """The button. It reads the address in the browser when it is pressed, and sends nothing to the server.

    Where the browser refuses its clipboard (a page that is not served by HTTPS or from this machine), the link stands
    in a field under the button, selected for copying.

    Args:
        key: of the component.
    """
    _copy(key=key, data={})
