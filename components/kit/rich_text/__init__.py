"""Text as what it is: code in its language's colours, rows of a table in columns. The text itself stays exact."""
