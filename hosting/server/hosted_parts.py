"""The parts of a server for many people, in the order in which they are put together."""

from __future__ import annotations

from components.server.server_parts import LOCAL_PARTS, ServerParts
from components.streamlit_patches.deferred_downloads import check_downloads
from hosting.server.layers.layer_order import LAYERS
from hosting.server.layers.media_access import protect_media
from hosting.server.layers.origin_check import allow_public_address
from hosting.server.layers.request_log import begin_log
from hosting.server.protection import note_protected
from hosting.server.request_person import is_shared
from hosting.server.session_owners import note_owners, owner
from hosting.streamlit_patches.clear_cache_requests import ignore_clear_cache
from hosting.streamlit_patches.host_details import withhold_host_details
from hosting.streamlit_patches.websocket_limits import limit_messages
from hosting.streamlit_patches.widget_values import check_values

__all__ = ["HOSTED_PARTS"]


def _keep_downloads_apart() -> None:
    check_downloads(lambda maker, session: not is_shared() or owner(maker) == owner(session))


HOSTED_PARTS = ServerParts(
    patches=(
        *LOCAL_PARTS.patches,
        limit_messages,
        begin_log,
        note_owners,
        protect_media,
        _keep_downloads_apart,
        ignore_clear_cache,
        withhold_host_details,
        check_values,
        note_protected,  # last: from now on people who do not know each other can be let in
    ),
    layers=LAYERS,
    starts=(allow_public_address,),
)
"""For demos and teams."""
