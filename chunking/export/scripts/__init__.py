"""Python scripts that do again what an index does, and the texts that they are made of."""
