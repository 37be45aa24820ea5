"""Corrections of Streamlit (1.67) and uvicorn in the server's own process; those for many people are in `hosting/`.

deferred_downloads   MediaFileManager.add_deferred, DeferredFileHandler.handle: a download checks the right again.
                     Goes when callbacks of downloads run in their session.
external_ip          net_util.get_external_ip: any web page could make the server ask the internet for its address.
                     Goes when a setting turns it off.
rerun_requests       SafeSessionState.on_script_will_rerun, AppSession.request_rerun: no click is lost or counts twice.
                     Goes when a run applies its request before it looks for newer ones.
run_lookups          SafeSessionState.filtered_state, type_util.get_func_parameters, app_session._populate_theme_msg,
                     serialization.is_dataframe_like: found once, not in every run. Goes when Streamlit keeps them.
tcp_nodelay          AutoHTTPProtocol.connection_made: answers on an open connection waited 40 ms.
                     Goes when Streamlit's socket names TCP.
websocket_batching   AppSession._on_scriptrunner_event, _clear_queue and flush_browser_queue, Runtime._send_message and
                     _enqueued_some_message, WebSocketsSansIOProtocol.connection_made: the 50 to 90 parts of a run go in
                     a few parcels. Goes when Streamlit batches messages.

`components.server.server_parts` makes them all but `rerun_requests`, which `app.py` makes itself.
"""
