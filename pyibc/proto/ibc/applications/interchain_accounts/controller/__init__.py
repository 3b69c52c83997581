"""Messages below ibc/applications/interchain_accounts/controller/ (generated)."""
