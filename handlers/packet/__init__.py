"""Messages of packets."""
