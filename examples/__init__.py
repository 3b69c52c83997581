"""What a chain, an application and a middleware of one's own look like."""
