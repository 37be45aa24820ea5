"""What people see of documents, chunks and results outside of the app: colours, messages and scripts of the viewer, static HTML."""

__all__: list[str] = []
