"""Models of this machine: their tokenizer, layers, batches and precision."""
