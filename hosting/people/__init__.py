"""The people of a team: sign-in, invitations, agents' tokens and shared workspaces."""
