"""The server for many people: identity of requests, owners of sessions, limits, and the ASGI layers."""
