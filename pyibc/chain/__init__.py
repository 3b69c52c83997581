"""A finished host chain: accounts, bank, fees, transactions, queries, upgrades, an ABCI application."""
