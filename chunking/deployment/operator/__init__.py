"""What operators of a deployment set, and what they may do with its people."""
