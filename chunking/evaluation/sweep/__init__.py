"""Sweeps: many configurations measured on the same questions."""
