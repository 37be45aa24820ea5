"""Whether a server for language models or embeddings is configured, whether it answers, and how to configure one.

The key is never shown: nothing here asks for it.
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
"""Seconds that a check waits at most: somebody looks at it."""
_HOW = (
    "Any OpenAI-compatible server will do, on this machine or elsewhere. Whoever runs Chunkscope sets it in the "
    "environment or in `.streamlit/secrets.toml`; the key is never in a page, link or workspace."
)


def server_name(kind: Kind) -> str:
    """Model and place of what is configured; empty where nothing is, or nothing that can be used."""
    try:
        server = endpoint(kind)
    except ConfigError:
        return ""
    return _called(server) if server else ""


def _called(server: Endpoint) -> str:
    """Model and place, as far as they are known and shown."""
    return " at ".join(filter(None, (server.model, server.place))) or "the server"


def endpoint_status(kind: Kind, *, needed: bool) -> None:
    """A line with the server and a way to test it.

    Args:
        needed: the settings need it: that there is none is then said as a warning.
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
    """Ask it when somebody wants to know; what it said stays until another one is configured."""
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
    """What is wrong with it; empty where nothing is."""
    from chunking.llm import Client

    try:
        Client(replace(server, retries=0, timeout=min(server.timeout, _PATIENCE))).check()
    except (EndpointError, QuotaError) as error:
        return str(error)
    return ""


def _how(kind: Kind) -> None:
    if not allowed().everything:
        return  # who reads it cannot do it
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
