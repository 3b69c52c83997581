"""Messages below ibc/applications/rate_limiting/ (generated)."""
