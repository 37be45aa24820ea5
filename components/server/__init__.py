"""What the server does besides the pages: files sent compressed, and the first page prepared before anybody asks for it."""
