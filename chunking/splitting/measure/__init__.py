"""Measuring of a document: allowed cuts, their ranks, and the tokens up to each."""
