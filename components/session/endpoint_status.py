"""The configured server for language models or embeddings: its name, a check, and how to set it up.

The key is never shown or read here.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from chunking.allowed import allowed
from chunking.errors import ConfigError, EndpointError, QuotaError
from chunking.llm.endpoints import Endpoint, Kind, endpoint
from components.kit.button import button
from components.kit.wording import plain
from components.session.host import host

__all__ = ["endpoint_status", "server_name"]

_NAMES: dict[Kind, str] = {"llm": "Language model", "embedding": "Embedding server"}
_PATIENCE = 10.0
"""Most seconds that a check waits, as its user does."""
_HOW = (
    "Any OpenAI-compatible server will do, on this machine or elsewhere. Whoever runs Chunkscope sets it in the "
    "environment or in `.streamlit/secrets.toml`; the key is never in a page, link or workspace."
)


def server_name(kind: Kind) -> str:
    """Return the configured server's model and host, or "the server" if neither may be shown.

    Empty if none is configured or its settings are invalid.
    """
    try:
        server = endpoint(kind)
    except ConfigError:
        return ""
    return _called(server) if server else ""


def _called(server: Endpoint) -> str:
    """Return the server's model and host, as far as configured and allowed to be shown."""
    return " at ".join(filter(None, (server.model, server.place))) or "the server"


def endpoint_status(kind: Kind, *, needed: bool) -> None:
    """Draw a box that says which server is configured, if any, with Check button and usage.

    Where the user may set a server up, it also says how.

    Args:
        needed: True if the settings need it; a missing one is then a warning.
    """
    name = _NAMES[kind]
    with st.container(border=True, gap="small", key=f"endpoint.{kind}"):
        try:
            server = endpoint(kind)
        except ConfigError as error:
            st.markdown(f"**{name}**")
            st.caption(f":red[⚠ {plain(str(error))}]")
            _how(kind)
            return
        if server is None:
            st.markdown(f"**{name}:** none configured")
            where = "on this machine" if allowed().everything else "and whoever runs this server decides about it"
            st.caption("⚠ The current settings need one." if needed else f"Everything else works without one, {where}.")
            _how(kind)
            return
        bare = f"**{name}** at {plain(server.place)}" if server.place else f"**{name}:** configured"
        st.markdown(f"**{name}:** {plain(_called(server))}" if server.model else bare)
        _check(server, kind)
        host().draw_llm_usage()


def _check(server: Endpoint, kind: Kind) -> None:
    """Draw the check button and its last result, which stays until another server is configured."""
    status_key, key = f"endpoint.{kind}.told", (server.url_hash, server.model)
    with st.container(horizontal=True, vertical_alignment="center"):
        if button(
            "Check", key=f"endpoint.{kind}.check", help="Checks that it responds, accepts the key and has the model."
        ):
            with st.spinner("Asking …"):
                st.session_state[status_key] = (key, _answer(server))
        _how(kind)
    checked, sentence = st.session_state.get(status_key, (None, ""))
    if checked == key:
        st.caption(f":red[⚠ {plain(sentence)}]" if sentence else "✓ It responds, accepts the key and has the model.")


def _answer(server: Endpoint) -> str:
    """Check a server and return its fault; empty if it works."""
    from chunking.llm import Client

    try:
        Client(replace(server, retries=0, timeout=min(server.timeout, _PATIENCE))).check()
    except (EndpointError, QuotaError) as error:
        return str(error)
    return ""


def _how(kind: Kind) -> None:
    if not allowed().everything:
        return  # only the operator can do it
    with st.popover("How to set it up", width="content"):
        st.caption(_HOW)
        prefix = f"CHUNKSCOPE_{kind.upper()}"
        model = [f"export {prefix}_MODEL=MODEL"] if kind == "llm" else []
        st.code(
            "\n".join([f"export {prefix}_URL=https://HOST/v1", *model, f"export {prefix}_KEY=KEY"]), language="bash"
        )
        st.caption("or in `.streamlit/secrets.toml`")
        table = [f"[{kind}]", 'url = "https://HOST/v1"', *(['model = "MODEL"'] if kind == "llm" else []), 'key = "KEY"']
        st.code("\n".join([*table, "# price_in = 0.15   # of a million tokens", "# price_out = 0.60"]), language="toml")
        if kind == "embedding":
            st.caption("Then write `remote:MODEL` as the model.")
