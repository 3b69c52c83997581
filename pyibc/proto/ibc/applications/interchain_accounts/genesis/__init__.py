"""Messages below ibc/applications/interchain_accounts/genesis/ (generated)."""
