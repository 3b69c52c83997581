"""Applications that speak over channels."""
