"""What people decided about a document's boundaries: where it holds, and which of it holds where two decisions
contradict each other.
"""
