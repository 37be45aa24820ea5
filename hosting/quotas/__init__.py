"""What a person and the server may use, and what they do use."""
