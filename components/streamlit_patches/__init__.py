"""Internals of Streamlit (1.67) and uvicorn that this program replaces: these thirteen, and no others.

One row names an upstream issue; none is known for the others. "Not measured" is a matter of right or safety, not of
speed, unless said.

file, target                                          what changes, and why; worth; goes when
external_ip
  net_util.get_external_ip                            Any web page could make the server ask the internet for its
                                                      address. Not measured. Goes when Streamlit does not ask.
tcp_nodelay
  AutoHTTPProtocol.connection_made                    Answers on an open connection do not wait for a delayed
                                                      acknowledgement: 44 ms before, 0.5 ms after, measured when it
                                                      was made. Goes when Streamlit's socket names TCP.
websocket_limits
  WebSocketsSansIOProtocol.data_received              A message has a size, a number of parts and a deadline: 200 MB
                                                      were collected for anybody. Not measured. Goes when settings do.
deferred_downloads
  MediaFileManager.add_deferred                       The right to a download is checked at the click: a role may be
                                                      gone by then. Not measured. Goes when callbacks run in a session.
  DeferredFileHandler.handle                          Nobody has another person's file made, and the browser shows the
                                                      sentence of what failed. Not measured. Goes as the row above.
rerun_requests
  SafeSessionState.on_script_will_rerun               A run applies its clicks before it looks for newer requests. Not
                                                      measured. Goes when Streamlit does so.
  AppSession.handle_backmsg                           A timer's message repeats no click; Back and Forward are marked;
                                                      lists of what a browser keeps are dropped (see `sent_messages`).
                                                      For many people `clear_cache` and `load_git_info` are refused.
                                                      Not measured. Goes when clicks are left out and settings refuse.
  AppSession._clear_queue                             A fragment's new run drops nothing that no browser received.
                                                      Not measured. Goes when Streamlit keeps it.
sent_messages
  Runtime._send_message                               A reference is sent only for a message that the browser still has;
                                                      Streamlit's ended connections for good. Saves 437 kB (the scripts
                                                      of the components) each page, as before. Goes when Streamlit
                                                      decides while it sends (streamlit/streamlit#15816).
hosting.streamlit_patches.host_details
  AppSession._create_new_session_message              Browsers are not sent the path of app.py. Not measured. Goes when
                                                      a setting leaves it out.
hosting.server.request_person
  WebsocketSessionManager.connect_session             A session is resumed by its own person only. Not measured. Goes
                                                      when Streamlit checks whose it is.
hosting.server.media_access
  MediaFileManager.add                                Readers of a file are noted when it is made. Not measured.
  MemoryMediaFileStorage.get_file                     Others are answered as for a missing file. Not measured. Both go
                                                      when Streamlit checks whose file it is.

Dropped, measured as CPU of a rerun with one person (AppTest, two pages, on a busy machine, noise of some 10 %):
`type_util.get_func_parameters` -2 to 4 %, `SafeSessionState.filtered_state` and `is_dataframe_like` within the noise,
`app_session._populate_theme_msg` 0.2 ms a call. With these and with parcels (`flush_browser_queue`, `_send_message`),
`Runtime._enqueued_some_message` and joined writes of a WebSocket, 50 people took as much of a processor (0.65) as
without, in one run each after the other. Dropped and not measured: `WStates.__getitem__` (the sender's own
session fails, with a traceback in the log).

`server_parts` applies those of the server; `app.py` itself applies `rerun_requests`, so that it works without serve.py;
`host_details` sets what it refuses when the server starts, before any run.
`components.session.page.page_entry` resets a flag, `PagesManager.uses_pages_directory`, and replaces nothing.
"""
