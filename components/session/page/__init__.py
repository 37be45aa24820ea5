"""What every page stands in, and what its runs are asked: the frame, the log, the order of many, and answers that hold
for one.
"""
