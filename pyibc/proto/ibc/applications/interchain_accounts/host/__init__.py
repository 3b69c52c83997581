"""Messages below ibc/applications/interchain_accounts/host/ (generated)."""
