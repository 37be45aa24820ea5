"""Packing of places into boundaries by binary search: chunks with overlap, and parents."""
