"""Chunkscope's server: `make app`, or `streamlit run serve.py`. The app itself is app.py."""

from __future__ import annotations

import streamlit as st
from starlette.middleware import Middleware

from components.server.compressed_files import CompressedFiles
from components.server.no_lookups import ask_nobody
from components.server.visitor_cookie import VisitorCookie
from components.server.warm_up import warm_up

ask_nobody()
app = st.App("app.py", lifespan=warm_up, middleware=[Middleware(VisitorCookie), Middleware(CompressedFiles)])
