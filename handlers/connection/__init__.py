"""Messages of connections."""
