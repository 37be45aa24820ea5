"""What pages share in a session: the workspace, jobs, share links, question set, runs, servers."""
