"""Tests of chunking/retrieval: the pure parts by property, the whole on a real store and the real model."""
