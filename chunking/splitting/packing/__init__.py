"""Places to boundaries by binary search: chunks of a size with their overlap, and parents over them."""
