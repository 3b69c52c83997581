"""Messages below ibc/applications/interchain_accounts/v1/ (generated)."""
