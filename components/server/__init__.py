"""The server around the pages: layers around its requests, the queue of jobs, who a request is from, memory for
uploads, upkeep.
"""
