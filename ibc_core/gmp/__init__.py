"""General message passing (ICS-27 v2, ibc-go's 27-gmp): messages that an account here executes for a sender there."""
