"""ICS-20's message, names of coins, and packet data in Solidity's ABI."""
