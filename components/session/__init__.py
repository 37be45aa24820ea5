"""The session behind the pages: host, workspace, settings, jobs, question set and page frame."""
