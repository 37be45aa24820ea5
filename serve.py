"""Chunkscope's server: `make app`, or `streamlit run serve.py`. The app itself is app.py."""

from __future__ import annotations

import streamlit as st
from starlette.middleware import Middleware

from components.server.carried_address import CarriedAddress
from components.server.compressed_files import CompressedFiles
from components.server.identity_headers import IdentityHeaders
from components.server.kept_caches import keep_caches
from components.server.metrics_gate import MetricsGate
from components.server.no_lookups import ask_nobody
from components.server.own_connections import OwnConnections
from components.server.own_media import OwnMedia, protect_media
from components.server.own_origin import OwnOrigin
from components.server.own_uploads import OwnUploads
from components.server.request_log import RequestLog, begin_log
from components.server.security_headers import SecurityHeaders
from components.server.session_owners import note_owners
from components.server.visitor_cookie import VisitorCookie
from components.server.warm_up import warm_up
from components.server.widget_values import check_values
from components.session.protection import note_protected
from components.session.run_log import tell_fault

_LAYERS = (
    SecurityHeaders,
    RequestLog,
    MetricsGate,
    IdentityHeaders,
    VisitorCookie,
    CarriedAddress,
    OwnOrigin,
    OwnConnections,
    OwnUploads,
    OwnMedia,
    CompressedFiles,
)
"""Around Streamlit's server, from the outermost."""

begin_log()
ask_nobody()
note_owners()
protect_media()
keep_caches()
check_values()
note_protected()
app = st.App("app.py", lifespan=warm_up, on_script_error=tell_fault, middleware=[Middleware(layer) for layer in _LAYERS])
