"""Messages below ibc/applications/interchain_accounts/host/v1/ (generated)."""
