"""The server for many people: who sends a request, whose a session is, memory for uploads, and the layers."""
