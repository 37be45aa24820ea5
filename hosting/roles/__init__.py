"""Who may do what in a workspace: shared workspaces, and tokens of agents."""
