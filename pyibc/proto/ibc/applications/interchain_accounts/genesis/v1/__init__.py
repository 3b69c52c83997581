"""Messages below ibc/applications/interchain_accounts/genesis/v1/ (generated)."""
