"""Chunkscope's server: `make app`, or `streamlit run serve.py`. The app itself is app.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from components.server.agents import answering_agents, routes
from components.server.freed_memory import limit_arenas
from components.server.layers.layer_order import LAYERS
from components.server.layers.media_access import protect_media
from components.server.layers.request_log import begin_log
from components.server.session_owners import note_owners
from components.server.short_waits import keep_waits_short
from components.server.warm_up import warm_up
from components.session.page.run_log import tell_fault
from components.session.protection import note_protected
from components.streamlit_patches.deferred_downloads import ask_again
from components.streamlit_patches.host_details import withhold_details
from components.streamlit_patches.kept_answers import reuse_answers
from components.streamlit_patches.kept_caches import keep_caches
from components.streamlit_patches.message_limits import limit_messages
from components.streamlit_patches.no_delay import send_without_delay
from components.streamlit_patches.no_lookups import ask_nobody
from components.streamlit_patches.sent_together import send_together
from components.streamlit_patches.widget_values import check_values

limit_arenas()
keep_waits_short()
reuse_answers()
send_together()
send_without_delay()
limit_messages()
begin_log()
ask_nobody()
note_owners()
protect_media()
ask_again()
keep_caches()
withhold_details()
check_values()
note_protected()


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """What runs as long as the server does."""
    async with warm_up(app), answering_agents():
        yield


app = st.App("app.py", lifespan=lifespan, on_script_error=tell_fault, routes=routes(), middleware=[Middleware(layer) for layer in LAYERS])
