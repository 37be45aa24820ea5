"""Keep the server from asking the internet for its own address."""

from __future__ import annotations

from streamlit import net_util

__all__ = ["block_external_ip"]


def block_external_ip() -> None:
    """Keep Streamlit (1.67) from asking a public service for this machine's external address. Idempotent.

    It asks for every WebSocket whose `Origin` is another host's: any web page could make the server ask, and everybody
    would wait for the answer. Such connections are refused without it, too. A server on all addresses asks once more
    before this can be called, to print one more of them; `--browser.serverAddress` keeps it from that.
    """
    net_util.get_external_ip = _unknown


def _unknown() -> None:
    return None
