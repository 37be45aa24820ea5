"""Tests of chunking/viewing/static_html: bounded, escaped, and what a sanitizer lets through."""
