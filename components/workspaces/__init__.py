"""The workspaces of who is asking: the switcher in the header, the dialogs that make, share and delete one, and what an
invitation or a
snapshot shows."""
