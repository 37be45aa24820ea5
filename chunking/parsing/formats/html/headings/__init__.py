"""Guess headings of pages with few or no h1 to h6, from typography, numbers and links."""
