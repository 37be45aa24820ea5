"""What an index run would do, before it does it; and whether an index is out of date."""
