"""Corrections of Streamlit (1.67) and uvicorn for a server that many people share (see `components.streamlit_patches`).

clear_cache_requests   AppSession._handle_clear_cache_request: any browser could empty everybody's caches.
host_details           AppSession._handle_git_information_request and _create_new_session_message: browsers were told of
                       repository and path.
websocket_limits       WebSocketsSansIOProtocol.handle_connect, data_received and connection_lost: 200 MB of each
                       message were collected for anybody.
widget_values          WStates.__getitem__: a value of another kind failed every later run of the session.

The first three go when settings do the same, the last when Streamlit checks the kind. `hosting.server.session_owners`
(WebsocketSessionManager.connect_session) and `hosting.server.media_access` (files of the media manager) replace
more, and keep what they note.
"""
