"""What is written without a language model: whole sentences of the text, and sentences of templates."""
