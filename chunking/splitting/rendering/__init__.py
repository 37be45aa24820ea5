"""What a model reads besides the plain text: prefixes, tables as sentences, text without its markup."""
