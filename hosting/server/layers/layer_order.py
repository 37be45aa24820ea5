"""What stands around Streamlit's server: each layer looks at the requests before it, and at the answers after it."""

from __future__ import annotations

from components.server.layers.compressed_files import CompressedFiles
from components.server.layers.metrics_gate import MetricsGate
from components.server.layers.security_headers import SecurityHeaders
from hosting.server.layers.connection_limit import ConnectionLimit
from hosting.server.layers.identity_headers import IdentityHeaders
from hosting.server.layers.media_access import MediaAccess
from hosting.server.layers.origin_check import OriginCheck
from hosting.server.layers.request_log import RequestLog
from hosting.server.layers.sign_in_return import SignInReturn
from hosting.server.layers.upload_limits import UploadLimits
from hosting.server.layers.visitor_cookie import VisitorCookie

__all__ = ["LAYERS"]

LAYERS = (
    SecurityHeaders,  # also what another layer refuses has them
    RequestLog,  # also what another layer refuses is in the log
    MetricsGate,  # refuses whoever asks: it needs nobody's identity
    IdentityHeaders,  # before every layer that asks who it is
    VisitorCookie,  # adds to answers and refuses nothing: it could stand elsewhere
    SignInReturn,  # as VisitorCookie
    OriginCheck,  # before what counts or keeps something of a person: another site's page uses up none of it
    ConnectionLimit,  # the three that ask who it is look at different requests: in any order
    UploadLimits,
    MediaAccess,
    CompressedFiles,  # the innermost: the answers that it keeps have nothing of a single request, such as a cookie
)
"""From the outermost; the comments say why each stands there."""
