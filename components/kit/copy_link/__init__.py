"""A button that copies the address of the page: the link to this view with its settings."""

from __future__ import annotations

from components.kit.browser import component

__all__ = ["copy_link"]

_copy = component("copy_link")


def copy_link(*, key: str) -> None:
    """Draw a button that copies the page's address; it runs in the browser alone.

    If the browser refuses its clipboard (a page not served by HTTPS or from this machine), the link appears in a field
    under the button, selected for copying.

    Args:
        key: key of the component.
    """
    _copy(key=key, data={})
