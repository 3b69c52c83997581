"""Messages of channels."""
