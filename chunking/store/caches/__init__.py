"""What is made once and kept: vectors of texts, encodings of documents, texts that a language model wrote."""
