"""Open untrusted archives, JSON and XML: the only place that does."""
