"""Messages below ibc/applications/interchain_accounts/ (generated)."""
