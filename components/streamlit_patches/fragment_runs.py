"""Keep the elements that a run drew when the run of a fragment follows it: Streamlit (1.67) drops them."""

from __future__ import annotations

from streamlit.runtime.app_session import AppSession

__all__ = ["keep_drawn_parts"]

_clear = AppSession._clear_queue


def keep_drawn_parts() -> None:
    """Patch Streamlit to drop no drawn element that the browser has not received. Idempotent."""
    AppSession._clear_queue = _keep_parts  # type: ignore[method-assign]


def _keep_parts(self: AppSession, fragment_ids_this_run: list[str] | None = None) -> None:
    """Keep undelivered elements when a fragment's run begins, and send them first.

    Streamlit drops what the fragment drew before, and keeps what nested fragments drew: a browser cannot place those
    without the rest.
    """
    if fragment_ids_this_run:
        # so that new elements are appended, and replace none of it
        self._browser_queue._delta_index_map.clear()
    else:
        _clear(self, fragment_ids_this_run)
