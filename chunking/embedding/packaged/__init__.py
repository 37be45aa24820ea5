"""Models that come as Python packages."""
