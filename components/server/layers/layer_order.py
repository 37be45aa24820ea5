"""What stands around Streamlit's server: each layer looks at the requests before it, and at the answers after it."""

from __future__ import annotations

from components.server.layers.carried_address import CarriedAddress
from components.server.layers.compressed_files import CompressedFiles
from components.server.layers.identity_headers import IdentityHeaders
from components.server.layers.metrics_gate import MetricsGate
from components.server.layers.own_connections import OwnConnections
from components.server.layers.own_media import OwnMedia
from components.server.layers.own_origin import OwnOrigin
from components.server.layers.own_uploads import OwnUploads
from components.server.layers.request_log import RequestLog
from components.server.layers.security_headers import SecurityHeaders
from components.server.layers.visitor_cookie import VisitorCookie

__all__ = ["LAYERS"]

LAYERS = (
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
"""From the outermost."""
