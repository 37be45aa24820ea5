"""The workspaces of a person: switcher and dialogs; and the address that shared links begin with."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from components.session.host import deployment


def public_address() -> str:
    """The deployment's own, where the operator has set it; else the one that this browser has opened the app with,
    without the page.
    """
    if deployment().settings.sharing.public_url:
        return deployment().settings.sharing.public_url
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}/{st.get_option('server.baseUrlPath').strip('/')}"
