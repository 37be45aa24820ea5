"""What pages share in a session: their frame, who is asking, the sign-in, the workspace, jobs, share links, question
set, runs, servers.
"""
