"""Patches and layers of a server for many people, in their order."""

from __future__ import annotations

from components.server.compressed_files import CompressedFiles
from components.server.page_base import PageBase
from components.server.security_headers import MetricsGate, SecurityHeaders
from components.server.server_parts import LOCAL_PARTS, ServerParts
from components.streamlit_patches.deferred_downloads import check_downloads
from components.streamlit_patches.websocket_limits import limit_messages
from hosting.server.browser_cookies import SignInReturn, VisitorCookie
from hosting.server.media_access import MediaAccess, make_download, protect_media
from hosting.server.request_limits import (
    ConnectionLimit,
    IdentityHeaders,
    OriginCheck,
    UploadLimits,
    allow_public_address,
)
from hosting.server.request_log import RequestLog, begin_log
from hosting.server.request_person import is_shared, note_owners, owner, sender
from hosting.streamlit_patches.host_details import withhold_host_details

__all__ = ["HOSTED_PARTS", "LAYERS", "is_protected"]

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
    PageBase,  # changes one file of Streamlit's: it could stand elsewhere
    CompressedFiles,  # the innermost: the answers that it keeps have nothing of a single request, such as a cookie
)
"""From the outermost; the comments give the reason for each position."""
_protected = False
"""True once all layers are around the server of this process.

app.py alone (`streamlit run app.py`) has Streamlit's own answers to sessions, uploads, pictures and other sites, which
are fine for one person.
"""


def note_protected() -> None:
    """Record that all layers are around this process's server; serve.py calls it last."""
    global _protected
    _protected = True


def is_protected() -> bool:
    """True once all patches and layers that keep people apart are around this process's server."""
    return _protected


def _keep_downloads_apart() -> None:
    check_downloads(lambda maker, session: not is_shared() or owner(maker) == owner(session), make_download)


def _limit_strangers() -> None:
    limit_messages(lambda scope: not is_shared() or bool(sender(scope)))


HOSTED_PARTS = ServerParts(
    patches=(
        *LOCAL_PARTS.patches,
        _limit_strangers,
        begin_log,
        note_owners,
        protect_media,
        _keep_downloads_apart,
        withhold_host_details,
        note_protected,  # last: from now on people who do not know each other can be let in
    ),
    layers=LAYERS,
    starts=(allow_public_address,),
)
"""For demos and teams."""
