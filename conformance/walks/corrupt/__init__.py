"""Messages spoilt: their bytes, the structure of their fields, what the fields say."""
