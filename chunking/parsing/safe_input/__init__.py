"""Open untrusted archives, JSON and XML; no other module may."""
