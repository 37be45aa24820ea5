"""Text for models: prefixes, tables as sentences, and text without markup."""
