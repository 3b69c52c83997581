"""The application of one chain: transactions, accounts, coins, and the plugins of its configuration."""
