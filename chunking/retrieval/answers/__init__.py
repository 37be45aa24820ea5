"""An answer from a search's context: what a language model is asked, its sentences with their citations, and whether
those hold.
"""
