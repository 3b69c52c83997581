"""Keys, accounts, gas prices, and the ledger of fees paid."""
