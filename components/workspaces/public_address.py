"""The address that links begin with which are handed on: of invitations and snapshots."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from components.session.host import deployment

__all__ = ["public_address"]


def public_address() -> str:
    """The deployment's own, where the operator has set it; else the one that this browser has opened the app with,
    without the page.
    """
    if deployment().settings.sharing.public_url:
        return deployment().settings.sharing.public_url
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}/{st.get_option('server.baseUrlPath').strip('/')}"
