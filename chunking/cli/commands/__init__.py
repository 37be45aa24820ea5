"""What the commands do: a function for each row of the table."""
