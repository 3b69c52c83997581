"""Messages of clients."""
