"""Question sets on the Evaluate page: choose, import, generate, review and edit."""
