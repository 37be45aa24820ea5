"""Dialogs and headers of a team: roles, invitations, tokens of agents, snapshots, activity."""
