"""Splitters, retrievers and writers, held to the frameworks and stores they are made for."""
