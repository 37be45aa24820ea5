"""The server asks nobody on the internet who it is."""

from __future__ import annotations

from streamlit import net_util

__all__ = ["ask_nobody"]


def ask_nobody() -> None:
    """Keep Streamlit (1.67) from asking a public service for this machine's external address; again is the same.

    It asks when it starts on all addresses, to print one more of them, and for every WebSocket whose `Origin` is another host's: any
    web page could make the server ask, and everybody would wait for the answer. Such connections are refused without it, too.
    """
    net_util.get_external_ip = _unknown


def _unknown() -> None:
    return None
