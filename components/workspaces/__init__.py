"""The user's workspaces: switcher and dialogs; and the base address of shared links."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from components.session.host import deployment


def public_address() -> str:
    """Return the app's public address, or the one that this browser opened, without the page.

    It may end with a slash. Without a browser and a public address, scheme and host are empty.
    """
    if deployment().settings.sharing.public_url:
        return deployment().settings.sharing.public_url
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}/{st.get_option('server.baseUrlPath').strip('/')}"
