"""The host application: transactions, accounts, bank, and the configured plugins."""
