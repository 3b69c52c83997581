"""Messages below ibc/applications/rate_limiting/v1/ (generated)."""
