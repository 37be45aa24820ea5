"""Parts of the pages, the session behind them, and the server around them."""
