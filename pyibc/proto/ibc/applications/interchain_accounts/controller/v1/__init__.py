"""Messages below ibc/applications/interchain_accounts/controller/v1/ (generated)."""
