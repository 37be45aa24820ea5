"""OpenDocument texts (ODT), read from their XML with lxml alone.

odfdo (Apache-2.0) counts no list or heading numbers and loses text on hostile files, so it would replace little.
"""
