"""What stands on a PDF's page: characters, rules, segments, forms."""
